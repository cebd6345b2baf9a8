/** What retention has done since the server started. */
export class RetentionTally {
  runs = { ok: 0, failed: 0 };
  /** When the last pass ended, in epoch seconds; null: there was none yet. */
  lastAt: number | null = null;
  droppedSlices = 0;
  /** Ended events of alerts. */
  droppedEvents = 0;

  noteRun({ endedAt, failed }: { readonly endedAt: number; readonly failed: boolean }): void {
    this.lastAt = endedAt;
    this.runs[failed ? 'failed' : 'ok'] += 1;
  }
}
