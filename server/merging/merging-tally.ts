import type { FeedLossesRow } from '../../db/write/feeds/select-feed-losses.ts';
import type { SegmentTotals } from '../../db/write/segments/select-segment-totals.ts';

/** What is known of a context's imports, which other processes make, as last looked at. */
export type ImportsOfContext = {
  readonly context: string;
  /** Of the context when this was read: an import raises it. */
  readonly version: number;
  readonly files: number;
  /** Epoch seconds; null: nothing was ever imported. */
  readonly lastAt: number | null;
};

/** What is known of a context's live segments, as last looked at. */
export type SegmentsOfContext = SegmentTotals & {
  readonly context: string;
  /** How many are to be merged, and are not yet. */
  readonly waiting: number;
};

export type MergingRun = {
  /** Epoch seconds. */
  readonly endedAt: number;
  readonly seconds: number;
  /** Whether something could not be looked at, merged or swept. */
  readonly failed: boolean;
};

/** What merging and sweeping in the background have done since the start, and have met. */
export class MergingTally {
  runs = { ok: 0, failed: 0 };
  last: MergingRun | null = null;
  /** Of all looks together. */
  seconds = 0;
  merges = 0;
  /** Segments that merges have replaced. */
  mergedSegments = 0;
  rollUps = 0;
  sweptSegments = 0;
  /** By context_id. */
  imports: ReadonlyMap<number, ImportsOfContext> = new Map();
  segments: ReadonlyMap<number, SegmentsOfContext> = new Map();
  /** What all feeds so far did not bring into their contexts. */
  feedLosses: readonly FeedLossesRow[] = [];

  noteRun(run: MergingRun): void {
    this.last = run;
    this.seconds += run.seconds;
    this.runs[run.failed ? 'failed' : 'ok'] += 1;
  }
}
