import type { Interval } from '../../../domain/interval.ts';
import type { Fold } from '../../../domain/meter-type.ts';

/** What to read: one meter of one group over one interval, of one probe or (null) of all. */
export type MeterRead = {
  readonly groupId: number;
  readonly bucketSeconds: number;
  readonly slot: number;
  readonly fold: Fold;
  readonly probeId: number | null;
  readonly interval: Interval;
};
