/** What looking for what is too old has done since the start. */
export class RetentionTally {
  runs = { ok: 0, failed: 0 };
  /** Epoch seconds; null: there was no look yet. */
  lastAt: number | null = null;
  droppedSlices = 0;
  /** Of alerts. */
  droppedEvents = 0;

  noteRun({ endedAt, failed }: { readonly endedAt: number; readonly failed: boolean }): void {
    this.lastAt = endedAt;
    this.runs[failed ? 'failed' : 'ok'] += 1;
  }
}
