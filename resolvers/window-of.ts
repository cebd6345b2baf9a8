import type { Interval } from '../domain/time/interval.ts';
import { resolveWindow, type WindowRequest } from '../domain/time/window.ts';
import type { CounterGroupView } from './counter-groups.ts';
import type { RequestScope } from './request-scope.ts';

type WindowOptions = {
  readonly requested: WindowRequest;
  /** IANA name. */
  readonly timeZone: string;
  /** The span in which the group has data; null: no data. */
  readonly available: Interval | null;
};

/** Resolves a window of a group's data, by the request's clock. */
export const windowOf = (
  scope: RequestScope,
  { row }: CounterGroupView,
  { requested, timeZone, available }: WindowOptions,
): Interval =>
  resolveWindow(requested, {
    clock: () => scope.reads.now(),
    timeZone,
    available,
    bucketSeconds: row.bucketSize,
    topperBucketSeconds: row.topperBucketSize,
  });
