import { floorTo } from '../../domain/time/interval.ts';
import type { Flow, PortRule } from '../flows/flow.ts';
import { FLOW_BUCKET_SECONDS } from '../flows/flow-groups.ts';
import { isTwoWay } from '../formats/nfdump/nfdump-ways.ts';

/** Flows of one bucket that wait: those that ended in it. */
type Bucket = { readonly flows: Flow[]; firstReadMs: number };

/** Flows by the start of the bucket in which they ended. */
type Buckets = Map<number, Bucket>;

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
 *
 * An output of nfdump tells only as a whole whether it was made with -B, by any flow of which
 * something came back. So its flows also wait until there is such a flow, or the output ends: an
 * output in a feed counts as a file does. An output that is larger than what fits into memory, or
 * takes longer than `holdMs`, counts as told in one direction up to there.
 */
export class PendingFlows {
  count = 0;
  /** When the newest of all flows ended, those that were taken included; 0 without any. */
  newestUs = 0;
  readonly #buckets: Buckets = new Map();
  /** Flows of the output that is being read, while it is not known how they count. */
  readonly #undecided: Buckets = new Map();
  /** How flows of that output count; null while nothing tells. */
  #outputRule: PortRule | null = null;
  readonly #rules: PendingRules;

  constructor(rules: PendingRules) {
    this.#rules = rules;
  }

  add(flow: Flow, nowMs: number): void {
    this.#addTo(this.#buckets, flow, nowMs);
  }

  /** Adds a flow of an output of nfdump. */
  addOfOutput(flow: Flow, nowMs: number): void {
    if (isTwoWay(flow)) this.#decide('destination');
    if (this.#outputRule === null) this.#addTo(this.#undecided, flow, nowMs);
    else this.add({ ...flow, portRule: this.#outputRule }, nowMs);
  }

  /** An output of nfdump is over, or another begins. */
  endOutput(): void {
    if (this.#outputRule === null) this.#decide('registered');
    this.#outputRule = null;
  }

  /** Takes the flows that have waited long enough, oldest bucket first. */
  takeDue(nowMs: number): Flow[] {
    const undecidedSince = firstReadOf(this.#undecided);
    if (undecidedSince !== null && undecidedSince + this.#rules.holdMs <= nowMs) {
      this.#decide('registered');
    }
    return this.#take([...this.#buckets].filter((entry) => this.#isDue(entry, nowMs)));
  }

  takeAll(): Flow[] {
    if (this.#undecided.size > 0) this.#decide('registered');
    return this.#take([...this.#buckets]);
  }

  /** When the one that waits longest was read; null without any. */
  firstReadMs(): number | null {
    const decided = firstReadOf(this.#buckets);
    const undecided = firstReadOf(this.#undecided);
    return decided === null || undecided === null
      ? (decided ?? undecided)
      : Math.min(decided, undecided);
  }

  #addTo(buckets: Buckets, flow: Flow, nowMs: number): void {
    const endUs = flow.startUs + flow.durationUs;
    const start = floorTo(Math.floor(endUs / 1e6), FLOW_BUCKET_SECONDS);
    bucketOf(buckets, start, nowMs).flows.push(flow);
    this.count += 1;
    this.newestUs = Math.max(this.newestUs, endUs);
  }

  /** Lets the undecided flows, and those that follow in this output, count by a rule. */
  #decide(portRule: PortRule): void {
    this.#outputRule = portRule;
    for (const [start, { flows, firstReadMs }] of this.#undecided) {
      const bucket = bucketOf(this.#buckets, start, firstReadMs);
      for (const flow of flows) bucket.flows.push({ ...flow, portRule });
    }
    this.#undecided.clear();
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

function bucketOf(buckets: Buckets, start: number, readMs: number): Bucket {
  const bucket = buckets.get(start) ?? { flows: [], firstReadMs: readMs };
  bucket.firstReadMs = Math.min(bucket.firstReadMs, readMs);
  buckets.set(start, bucket);
  return bucket;
}

/** When the one that waits longest was read; null without any. */
function firstReadOf(buckets: Buckets): number | null {
  const times = Array.from(buckets.values(), ({ firstReadMs }) => firstReadMs);
  return times.length > 0 ? Math.min(...times) : null;
}
