import type { Flow } from '../flows/flow.ts';
import { FLOW_BUCKET_SECONDS } from '../flows/flow-groups.ts';

/** Flows that were read long after newer ones, and how much older the oldest of them was. */
export type LateFlows = { readonly flows: number; readonly bySeconds: number };

/**
 * Counts flows that come later than a feed waits for them, as those of an exporter whose clock is
 * behind. They are committed all the same, into buckets where nobody looks for news.
 */
export class LateFlowCounter {
  #flows = 0;
  #bySeconds = 0;
  #streamSeconds = Number.NEGATIVE_INFINITY;
  readonly #waitSeconds: number;

  constructor(latenessSeconds: number) {
    this.#waitSeconds = FLOW_BUCKET_SECONDS + latenessSeconds;
  }

  /** `wallMs`: the clock, which the time of the stream is never ahead of. */
  note({ startUs, durationUs }: Flow, wallMs: number): void {
    const endSeconds = (startUs + durationUs) / 1e6;
    const bySeconds = this.#streamSeconds - endSeconds;
    if (bySeconds > this.#waitSeconds) {
      this.#flows += 1;
      this.#bySeconds = Math.max(this.#bySeconds, bySeconds);
    }
    this.#streamSeconds = Math.max(this.#streamSeconds, Math.min(endSeconds, wallMs / 1000));
  }

  /** Returns null if there are none. */
  result(): LateFlows | null {
    return this.#flows === 0 ? null : { flows: this.#flows, bySeconds: this.#bySeconds };
  }
}
