import type { Address } from '../../address/address.ts';
import type { AlertEvent } from './firing.ts';

/** How many of the rule's windows are shown before an event, so that one sees what was usual. */
const WINDOWS_BEFORE = 5;

/**
 * The shortest window to show. Charts of more than two hours have one value per topper bucket, so
 * that most rules have their line in it.
 */
const LEAST_SECONDS = 3 * 3600;

/**
 * The top view of an event from some time before its start to its end, with its key open. newest:
 * where the data end, for events that are firing. What does not depend on the event, such as units,
 * stays as it is.
 */
export const eventAddress = (event: AlertEvent, newest: number | null): Partial<Address> => ({
  view: 'top',
  group: event.alert.counterGroup.guid,
  meter: event.alert.meter.index,
  probe: event.alert.probe,
  window: { kind: 'interval', ...spanAround(event, newest) },
  live: false,
  // Rules are about addresses.
  prefix: null,
  filters: [],
  hidden: [],
  key: event.key?.key ?? null,
  by: null,
  alert: null,
  after: null,
});

/** `startedAt` is the end of the window in which the event began. */
function spanAround({ alert, startedAt, endedAt }: AlertEvent, newest: number | null) {
  const { windowSeconds } = alert;
  const to = endedAt === null ? Math.max(startedAt, newest ?? startedAt) : endedAt + windowSeconds;
  const from = Math.min(startedAt - WINDOWS_BEFORE * windowSeconds, to - LEAST_SECONDS);
  return { from: Math.max(0, from), to };
}
