import type { Address } from '../../address/address.ts';
import type { AlertEvent } from './firing.ts';

/**
 * The top view of the window in which an event began, with its key open. `startedAt` is the end of
 * that window. What does not depend on the event, such as units, stays as it is.
 */
export const eventAddress = ({ alert, key, startedAt }: AlertEvent): Partial<Address> => ({
  view: 'top',
  group: alert.counterGroup.guid,
  meter: alert.meter.index,
  probe: alert.probe,
  window: {
    kind: 'interval',
    from: Math.max(0, startedAt - alert.windowSeconds),
    to: startedAt,
  },
  live: false,
  // Rules are about addresses.
  prefix: null,
  filters: [],
  hidden: [],
  key: key?.key ?? null,
  by: null,
  alert: null,
  after: null,
});
