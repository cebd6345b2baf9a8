import { FLOW_GROUPS } from '../flows/flow-groups.ts';

const GIGABYTE = 10 ** 9;

/** Rules about the demo's own traffic. The server decides them for all of it, as for any other. */
export const DEMO_ALERTS = [
  {
    name: 'Line out is busy',
    group: FLOW_GROUPS.aggregates.guid,
    window_seconds: 3600,
    when: { key_above: 8 * GIGABYTE },
    filter: { keys: ['DIR_OUTOFHOME'] },
    severity: 'critical',
    description: 'More than 8 GB left the office within an hour: a larger backup than usual?',
  },
  {
    name: 'Host sends much',
    group: FLOW_GROUPS.internalHosts.guid,
    meter: 2,
    window_seconds: 900,
    when: { key_above: 2 * GIGABYTE },
    severity: 'warning',
    description: 'A host of the office sent more than 2 GB within a quarter of an hour.',
  },
  {
    name: 'Telnet is tried',
    group: FLOW_GROUPS.apps.guid,
    meter: 4,
    window_seconds: 3600,
    when: { key_above: 40 },
    filter: { search: 'telnet' },
    severity: 'info',
    description:
      'More than 40 connections to port 23 within an hour: somebody looks for open doors.',
  },
] as const;
