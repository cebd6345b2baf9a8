import type { Interval } from '../domain/time/interval.ts';
import { type CoveredSpan, newestBucket, presentUntil } from '../domain/time/newest-bucket.ts';
import { resolveWindow, type WindowRequest } from '../domain/time/window.ts';
import { type CounterGroupView, coverageOf, intervalOf } from './counter-groups.ts';
import type { RequestScope } from './request-scope.ts';

type WindowOptions = {
  readonly requested: WindowRequest;
  /** IANA name. */
  readonly timeZone: string;
  /** null: all probes. */
  readonly probeId: number | null;
};

type ResolvedWindow = {
  readonly window: Interval;
  /** The span in which the group has data of the probe, or of all probes; null: no data. */
  readonly available: Interval | null;
};

/** Resolves a window of a group's data, by the request's clock. */
export async function windowOf(
  scope: RequestScope,
  group: CounterGroupView,
  { requested, timeZone, probeId }: WindowOptions,
): Promise<ResolvedWindow> {
  const coverage = await coverageOf(group, probeId);
  const available = intervalOf(coverage, group);
  const window = resolveWindow(requested, {
    clock: () => scope.reads.now(),
    timeZone,
    available,
    present: () => available && presentPart(scope, group, { available, coverage }),
    bucketSeconds: group.row.bucketSize,
    topperBucketSeconds: group.row.topperBucketSize,
  });
  return { window, available };
}

type AvailableData = { readonly available: Interval; readonly coverage: readonly CoveredSpan[] };

/** Returns the part of the available data that is not ahead of the database's clock. */
function presentPart(
  { reads }: RequestScope,
  { row }: CounterGroupView,
  { available, coverage }: AvailableData,
): Interval {
  const until = presentUntil(reads.databaseNow, row.topperBucketSize);
  const to = (newestBucket(coverage, until) ?? 0) + row.bucketSize;
  // Buckets that are ahead become present as time passes, without any change of the data.
  if (available.to - row.bucketSize > until) reads.markUncacheable();
  return { from: Math.min(available.from, to), to };
}
