import type { FeedStatesRow } from '../../db/sql/feeds.ts';
import type { SegmentTotals } from '../../db/sql/manifest.ts';

/** A context's imports, which other processes make, as of the last pass. */
export type ImportsOfContext = {
  readonly context: string;
  /** The context's version when this was read: an import raises it. */
  readonly version: number;
  readonly files: number;
  /** Epoch seconds; null: nothing was ever imported. */
  readonly lastAt: number | null;
};

/** A context's live segments, as of the last pass. */
export type SegmentsOfContext = SegmentTotals & {
  readonly context: string;
  /** Number of segments still to be merged. */
  readonly waiting: number;
};

export type MergingRun = {
  /** Epoch seconds. */
  readonly endedAt: number;
  readonly seconds: number;
  /** Whether something could not be read, merged or swept. */
  readonly failed: boolean;
};

/** What merging and sweeping have done since the server started, and what they have found. */
export class MergingTally {
  runs = { ok: 0, failed: 0 };
  last: MergingRun | null = null;
  /** Total duration of all passes. */
  seconds = 0;
  merges = 0;
  /** Segments that merges have replaced. */
  mergedSegments = 0;
  rollUps = 0;
  sweptSegments = 0;
  /** By context_id. */
  imports: ReadonlyMap<number, ImportsOfContext> = new Map();
  segments: ReadonlyMap<number, SegmentsOfContext> = new Map();
  /** What all feeds so far have done, and are doing. */
  feeds: readonly FeedStatesRow[] = [];
  /** When that was read, on the clock of `performance.now()`. */
  feedsReadAtMs = 0;

  noteRun(run: MergingRun): void {
    this.last = run;
    this.seconds += run.seconds;
    this.runs[run.failed ? 'failed' : 'ok'] += 1;
  }
}
