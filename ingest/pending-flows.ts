import { floorTo } from '../domain/interval.ts';
import type { Flow } from './flow.ts';
import { FLOW_BUCKET_SECONDS } from './flow-groups.ts';

/** Flows of one bucket that wait: those that ended in it. */
type Bucket = { readonly flows: Flow[]; readonly firstReadMs: number };

export type PendingRules = {
  /** Seconds after a bucket's end, in the time of the stream, in which its flows may still come. */
  readonly latenessSeconds: number;
  /** The longest that a flow waits on the clock, however slowly the time of the stream goes on. */
  readonly holdMs: number;
};

/**
 * Flows that were read and are not being committed yet, by the bucket in which they ended: an
 * exporter tells of a flow only after it, so a flow is written as a whole, with all its buckets,
 * once the bucket of its end is over. One that comes later than expected is due at once.
 *
 * The time of the stream is the newest end of a flow; a clock that is ahead does not carry it
 * beyond the present, or all that follows would be late.
 */
export class PendingFlows {
  count = 0;
  /** When the newest of all flows ended, those that were taken included; 0 without any. */
  newestUs = 0;
  readonly #buckets = new Map<number, Bucket>();
  readonly #rules: PendingRules;

  constructor(rules: PendingRules) {
    this.#rules = rules;
  }

  add(flow: Flow, nowMs: number): void {
    const endUs = flow.startUs + flow.durationUs;
    const start = floorTo(Math.floor(endUs / 1e6), FLOW_BUCKET_SECONDS);
    const bucket = this.#buckets.get(start) ?? { flows: [], firstReadMs: nowMs };
    this.#buckets.set(start, bucket);
    bucket.flows.push(flow);
    this.count += 1;
    this.newestUs = Math.max(this.newestUs, endUs);
  }

  /** Takes the flows that have waited long enough, oldest bucket first. */
  takeDue(nowMs: number): Flow[] {
    return this.#take([...this.#buckets].filter((entry) => this.#isDue(entry, nowMs)));
  }

  takeAll(): Flow[] {
    return this.#take([...this.#buckets]);
  }

  /** When the one that waits longest was read; null without any. */
  firstReadMs(): number | null {
    const times = [...this.#buckets.values()].map(({ firstReadMs }) => firstReadMs);
    return times.length > 0 ? Math.min(...times) : null;
  }

  #isDue([start, { firstReadMs }]: readonly [number, Bucket], nowMs: number): boolean {
    const streamMs = Math.min(this.newestUs / 1000, nowMs);
    const { latenessSeconds, holdMs } = this.#rules;
    const overMs = (start + FLOW_BUCKET_SECONDS + latenessSeconds) * 1000;
    return overMs <= streamMs || firstReadMs + holdMs <= nowMs;
  }

  #take(entries: readonly (readonly [number, Bucket])[]): Flow[] {
    const ordered = [...entries].sort(([a], [b]) => a - b);
    for (const [start] of ordered) this.#buckets.delete(start);
    const flows = ordered.flatMap(([, bucket]) => bucket.flows);
    this.count -= flows.length;
    return flows;
  }
}
