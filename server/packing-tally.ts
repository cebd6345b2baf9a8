/** What is known of a context's imports, which other processes make, as last looked at. */
export type ImportsOfContext = {
  readonly context: string;
  /** Of the context when this was read: an import raises it. */
  readonly version: number;
  readonly files: number;
  /** Epoch seconds; null: nothing was ever imported. */
  readonly lastAt: number | null;
};

export type PackingRun = {
  /** Epoch seconds. */
  readonly endedAt: number;
  readonly seconds: number;
  /** Whether something could not be looked at or packed. */
  readonly failed: boolean;
};

/** What the packing in the background has done since the start, and has met. */
export class PackingTally {
  runs = { ok: 0, failed: 0 };
  last: PackingRun | null = null;
  slices = 0;
  coarseBlocks = 0;
  /** By context_id. */
  imports: ReadonlyMap<number, ImportsOfContext> = new Map();

  noteRun(run: PackingRun): void {
    this.last = run;
    this.runs[run.failed ? 'failed' : 'ok'] += 1;
  }
}
