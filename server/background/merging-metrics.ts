import { Counter, Gauge, type Registry } from 'prom-client';
import type { ExporterSumsRow } from '../../db/sql/exporters.ts';
import type { FeedStatesRow } from '../../db/sql/feeds.ts';
import type { SegmentTotals } from '../../db/sql/manifest.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  BoundedNames,
  type Named,
  observedCounter,
  observedGauge,
} from '../telemetry/observed-metrics.ts';

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
type SegmentsOfContext = SegmentTotals & {
  readonly context: string;
  /** Number of segments still to be merged. */
  readonly waiting: number;
};

type MergingRun = {
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
  /** What collectors know of exporters. */
  exporters: readonly ExporterSumsRow[] = [];

  noteRun(run: MergingRun): void {
    this.last = run;
    this.seconds += run.seconds;
    this.runs[run.failed ? 'failed' : 'ok'] += 1;
  }
}

/** Registers metrics of merging and sweeping in the background. */
export function registerMerging(registry: Registry, tally: MergingTally): void {
  new Counter({
    name: 'countergraph_merging_runs_total',
    help: 'Background passes that merge and sweep segments, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'ok' }, tally.runs.ok);
      this.inc({ outcome: 'failed' }, tally.runs.failed);
    },
  });
  observedGauge(
    registry,
    {
      name: 'countergraph_merging_last_run_timestamp_seconds',
      help: 'When the last pass ended, in seconds since the epoch; 0: none has yet',
    },
    () => tally.last?.endedAt ?? 0,
  );
  observedGauge(
    registry,
    {
      name: 'countergraph_merging_last_run_seconds',
      help: 'How long the last pass took, in seconds, including what it merged and swept',
    },
    () => tally.last?.seconds ?? 0,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_merging_seconds_total',
      help: 'How long all passes took together, in seconds',
    },
    () => tally.seconds,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_merges_total',
      help: 'Merges of segments in the background',
    },
    () => tally.merges,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_merged_segments_total',
      help: 'Segments that these merges have replaced with larger ones',
    },
    () => tally.mergedSegments,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_roll_ups_total',
      help: 'Roll-ups over several segments that were made in the background',
    },
    () => tally.rollUps,
  );
  observedCounter(
    registry,
    {
      name: 'countergraph_swept_segments_total',
      help: 'Segments that were replaced or taken out, and then removed in the background',
    },
    () => tally.sweptSegments,
  );
}

/** Registers metrics of the segments in the store, as of the last background pass. */
export function registerSegments(registry: Registry, tally: MergingTally): void {
  const names = new BoundedNames(LIMITS.metricNames);
  const gauge = (named: Named, of: (segments: SegmentsOfContext) => number) =>
    new Gauge({
      ...named,
      labelNames: ['context'],
      registers: [registry],
      collect() {
        this.reset();
        for (const each of tally.segments.values()) {
          this.inc({ context: names.labelOf(each.context) }, of(each));
        }
      },
    });
  gauge(
    { name: 'countergraph_segments', help: 'Segments in use, as of the last pass' },
    ({ segments }) => segments,
  );
  gauge(
    {
      name: 'countergraph_segment_samples',
      help: 'Samples in these segments: one per key and bucket of each segment',
    },
    ({ rows }) => rows,
  );
  gauge(
    { name: 'countergraph_segment_bytes', help: 'Bytes of these segments' },
    ({ bytes }) => bytes,
  );
  gauge(
    {
      name: 'countergraph_segments_waiting',
      help: 'Segments due to be merged, as of the last pass',
    },
    ({ waiting }) => waiting,
  );
}

/** Registers metrics of imports by other processes, as of the last background pass. */
export function registerImports(registry: Registry, tally: MergingTally): void {
  const names = new BoundedNames(LIMITS.metricNames);
  new Gauge({
    name: 'countergraph_imported_files',
    help: 'Files that were imported into each context, as of the last background pass',
    labelNames: ['context'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { context, files } of tally.imports.values()) {
        this.inc({ context: names.labelOf(context) }, files);
      }
    },
  });
  new Gauge({
    name: 'countergraph_last_import_timestamp_seconds',
    help: 'When the last file was imported into each context, or a feed committed, in seconds since the epoch',
    labelNames: ['context'],
    registers: [registry],
    collect() {
      this.reset();
      // Sorted, so that contexts that share the label `other` show the latest import.
      const imports = [...tally.imports.values()].sort((a, b) => lastOf(a) - lastOf(b));
      for (const each of imports) {
        if (each.lastAt !== null) this.set({ context: names.labelOf(each.context) }, each.lastAt);
      }
    },
  });
}

const lastOf = ({ lastAt }: { lastAt: number | null }): number => lastAt ?? 0;
