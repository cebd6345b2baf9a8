import { LIMITS } from '../../domain/limits.ts';
import { floorTo } from '../../domain/time/interval.ts';
import type { Flow, PortRule } from '../flows/flow.ts';
import { FLOW_BUCKET_SECONDS } from '../flows/flow-groups.ts';
import { isTwoWay } from '../formats/nfdump/nfdump-ways.ts';
import type { FeedTime, MonotonicMs } from './feed-clock.ts';

/** The waiting flows that ended in one bucket. */
type Bucket = { readonly flows: Flow[]; firstReadMs: MonotonicMs };

/** Flows by the start of the bucket in which they ended. */
type Buckets = Map<number, Bucket>;

type PendingRules = {
  /** Seconds after a bucket's end, in stream time, during which its flows may still arrive. */
  readonly latenessSeconds: number;
  /**
   * Maximum time that a flow waits with the default lateness, however slowly stream time advances.
   */
  readonly holdMs: number;
};

/**
 * Flows that were read but are not being committed yet, by the bucket in which they ended. An
 * exporter reports a flow only after its end, so a flow is written as a whole, with all its
 * buckets, once the bucket of its end is over. A flow that arrives later than expected is due at
 * once.
 *
 * Stream time is the newest end of a flow, but never later than the clock: otherwise one clock that
 * is ahead would make all flows after it late.
 *
 * Only an nfdump output as a whole shows whether it was made with -B: it was if any of its flows
 * has reverse traffic. So its flows also wait until such a flow arrives or the output ends: an
 * output in a feed counts as a file does. If an output does not fit into memory, or takes longer
 * than `holdMs`, its flows up to there count as one-way.
 */
export class PendingFlows {
  count = 0;
  /** When the newest of all flows ended, including those already taken; 0 if there are none. */
  newestUs = 0;
  readonly #buckets: Buckets = new Map();
  /** Flows of the output that is being read, while it is unknown how they count. */
  readonly #undecided: Buckets = new Map();
  /** How flows of that output count; null while it is unknown. */
  #outputRule: PortRule | null = null;
  readonly #rules: PendingRules;
  /** Maximum time that a flow waits with the lateness asked for. */
  readonly #longestWaitMs: number;

  constructor(rules: PendingRules) {
    this.#rules = rules;
    // A longer lateness would have no effect if flows were due before it is over.
    const longerSeconds = Math.max(0, rules.latenessSeconds - LIMITS.feedLatenessSeconds);
    this.#longestWaitMs = rules.holdMs + longerSeconds * 1000;
  }

  add(flow: Flow, readMs: MonotonicMs): void {
    this.#addTo(this.#buckets, flow, readMs);
  }

  /** Adds a flow of an nfdump output. */
  addOfOutput(flow: Flow, readMs: MonotonicMs): void {
    if (isTwoWay(flow)) this.#decide('destination');
    if (this.#outputRule === null) this.#addTo(this.#undecided, flow, readMs);
    else this.add({ ...flow, portRule: this.#outputRule }, readMs);
  }

  /** Called when an nfdump output is over, or another one begins. */
  endOutput(): void {
    if (this.#outputRule === null) this.#decide('registered');
    this.#outputRule = null;
  }

  /** Takes the flows that have waited long enough, oldest bucket first. */
  takeDue(now: FeedTime): Flow[] {
    const undecidedSince = firstReadOf(this.#undecided);
    if (undecidedSince !== null && undecidedSince + this.#rules.holdMs <= now.monotonicMs) {
      this.#decide('registered');
    }
    return this.#take([...this.#buckets].filter((entry) => this.#isDue(entry, now)));
  }

  takeAll(): Flow[] {
    if (this.#undecided.size > 0) this.#decide('registered');
    return this.#take([...this.#buckets]);
  }

  /** Returns when the flow that has waited longest was read; null if there is none. */
  firstReadMs(): MonotonicMs | null {
    const decided = firstReadOf(this.#buckets);
    const undecided = firstReadOf(this.#undecided);
    return decided === null || undecided === null
      ? (decided ?? undecided)
      : Math.min(decided, undecided);
  }

  #addTo(buckets: Buckets, flow: Flow, readMs: MonotonicMs): void {
    const endUs = flow.startUs + flow.durationUs;
    const start = floorTo(Math.floor(endUs / 1e6), FLOW_BUCKET_SECONDS);
    bucketOf(buckets, start, readMs).flows.push(flow);
    this.count += 1;
    this.newestUs = Math.max(this.newestUs, endUs);
  }

  /** Counts the undecided flows, and those that follow in this output, by a rule. */
  #decide(portRule: PortRule): void {
    this.#outputRule = portRule;
    for (const [start, { flows, firstReadMs }] of this.#undecided) {
      const bucket = bucketOf(this.#buckets, start, firstReadMs);
      for (const flow of flows) bucket.flows.push({ ...flow, portRule });
    }
    this.#undecided.clear();
  }

  #isDue([start, { firstReadMs }]: readonly [number, Bucket], now: FeedTime): boolean {
    const streamMs = Math.min(this.newestUs / 1000, now.wallMs);
    const overMs = (start + FLOW_BUCKET_SECONDS + this.#rules.latenessSeconds) * 1000;
    return overMs <= streamMs || firstReadMs + this.#longestWaitMs <= now.monotonicMs;
  }

  #take(entries: readonly (readonly [number, Bucket])[]): Flow[] {
    const ordered = [...entries].sort(([a], [b]) => a - b);
    for (const [start] of ordered) this.#buckets.delete(start);
    const flows = ordered.flatMap(([, bucket]) => bucket.flows);
    this.count -= flows.length;
    return flows;
  }
}

function bucketOf(buckets: Buckets, start: number, readMs: MonotonicMs): Bucket {
  const bucket = buckets.get(start) ?? { flows: [], firstReadMs: readMs };
  bucket.firstReadMs = Math.min(bucket.firstReadMs, readMs);
  buckets.set(start, bucket);
  return bucket;
}

/** Returns when the flow that has waited longest was read; null if there is none. */
function firstReadOf(buckets: Buckets): MonotonicMs | null {
  const times = Array.from(buckets.values(), ({ firstReadMs }) => firstReadMs);
  return times.length > 0 ? Math.min(...times) : null;
}
