import { group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type Line, type TestServiceOptions } from '../support/lab/service.ts';

export const HOSTS = guidOf(1);
export const APPS = guidOf(2);
export const PAIRS = guidOf(3);

/** An hour of three hosts. */
export const WINDOW = { interval: { from: T0, to: T0 + 3600 } };

export const HOST_A = '0A.00.00.01';
const HOST_B = '0A.00.00.02';
const HOST_C = '0A.00.01.01';

const host = (key: string, at: number, bytes: number, label?: string): Line => ({
  group: HOSTS,
  key,
  ts: T0 + at,
  values: { 0: bytes, 5: bytes / 10 },
  ...(label !== undefined && { label }),
});

const pair = (port: string, bytes: number): Line => ({
  group: PAIRS,
  key: `${HOST_A}\\${port}`,
  ts: T0,
  values: { 0: bytes },
});

const LINES: readonly Line[] = [
  // The hour before.
  host(HOST_A, -600, 100),
  host(HOST_B, -600, 500),
  host(HOST_A, 0, 1000, 'alpha'),
  host(HOST_A, 1800, 500),
  host(HOST_B, 300, 200),
  host(HOST_C, 600, 50),
  { group: HOSTS, key: HOST_C, ts: T0 + 900, values: { 0: 30 }, probe: 'p1' },
  { group: APPS, key: '00.50', ts: T0, values: { 0: 7 } },
  pair('00.50', 900),
  pair('01.BB', 600),
];

const bytes = { units: 'bytes', description: 'All bytes' };

/** A service with a context of hosts, apps and their pairs, and a context without grants. */
export async function startMcpLab(options: TestServiceOptions = {}) {
  const total = Object.assign(meter(0, 2, 'Total'), bytes);
  const load = Object.assign(meter(5, 5, 'Load'), { units: 'percent' });
  const lab = await startLab({
    ...options,
    groups: [
      group(1, { name: 'Hosts', key_kind: 'ip', meters: [total, load] }),
      group(2, { name: 'Apps', key_kind: 'port', meters: [total, meter(9, 0, 'Broken')] }),
      group(3, {
        name: 'Hosts × Apps',
        key_kind: 'crosskey',
        meters: [total],
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
      }),
    ],
    declaration: {
      alerts: [{ name: 'big talker', group: HOSTS, when: { key_above: 1200 }, severity: 'high' }],
    },
    lines: LINES,
  });
  await lab.apply({ context: 'secret', groups: [] });
  // Otherwise the server does this at some time during the tests, and answers change.
  await lab.decideAlertsNow();
  return lab;
}

export { CONTEXT };
