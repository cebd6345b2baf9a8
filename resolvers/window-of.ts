import type { Interval } from '../domain/time/interval.ts';
import { resolveWindow, type WindowRequest } from '../domain/time/window.ts';
import type { CounterGroupView } from './counter-groups.ts';
import type { RequestScope } from './request-scope.ts';

type AskedWindow = {
  readonly asked: WindowRequest;
  /** IANA name. */
  readonly timeZone: string;
  /** Where the group has data; null: nowhere. */
  readonly available: Interval | null;
};

/** A window of a group's data, by the request's clock. */
export const windowOf = (
  scope: RequestScope,
  { row }: CounterGroupView,
  { asked, timeZone, available }: AskedWindow,
): Interval =>
  resolveWindow(asked, {
    clock: () => scope.reads.now(),
    timeZone,
    available,
    bucketSeconds: row.bucketSize,
    topperBucketSeconds: row.topperBucketSize,
  });
