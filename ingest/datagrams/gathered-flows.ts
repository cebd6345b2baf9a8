import type { DatagramRefusal } from '../../domain/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Flow } from '../flows/flow.ts';
import { timeBounds } from '../time-bounds.ts';
import { addWhole, isReading, type Whole } from '../whole.ts';
import type { DatagramNumber, DecodedDatagram } from './datagram.ts';

const NONE_REFUSED: ReadonlyMap<DatagramRefusal, number> = new Map();

const LONGEST_US = LIMITS.datagramFlowSeconds * 1e6;

/** What has been read of a datagram so far. */
export class GatheredFlows {
  readonly #flows: Flow[] = [];
  readonly #fromUs: number;
  readonly #toUs: number;
  readonly #rates = new Set<number>();
  #refused: Map<DatagramRefusal, number> | null = null;
  #newestRate = 0;
  #events = 0;
  #notIp = 0;
  #ofUnknownSampler = 0;

  constructor(receivedMs: number) {
    const { from, to } = timeBounds(receivedMs / 1000);
    this.#fromUs = from * 1e6;
    this.#toUs = to * 1e6;
  }

  /**
   * Takes a flow, whose amounts are already multiplied by its sampling rate; refuses an impossible
   * one. The rate is null if no options describe the flow's sampler.
   */
  add(flow: Flow, samplingRate: number | null): void {
    const fault = this.#faultOf(flow);
    if (fault !== null) {
      this.refuse(fault);
      return;
    }
    this.#flows.push(flow);
    const rate = samplingRate ?? 1;
    if (samplingRate === null) this.#ofUnknownSampler += 1;
    if (rate === this.#newestRate) return;
    this.#newestRate = rate;
    this.#rates.add(rate);
  }

  refuse(reason: DatagramRefusal): void {
    this.#refused ??= new Map();
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  skipEvent(): void {
    this.#events += 1;
  }

  skipNotIp(): void {
    this.#notIp += 1;
  }

  answer(number: DatagramNumber | null): DecodedDatagram {
    return {
      number,
      flows: this.#flows,
      skipped: { events: this.#events, notIp: this.#notIp },
      refused: this.#refused ?? NONE_REFUSED,
      samplingRates: [...this.#rates],
      ofUnknownSampler: this.#ofUnknownSampler,
    };
  }

  /** The bounds are those of `checkFlow`, but for the longest flow. */
  #faultOf({ startUs, durationUs, originator, responder }: Flow): DatagramRefusal | null {
    if (!(durationUs >= 0 && durationUs <= LONGEST_US)) return 'badTime';
    if (!(startUs >= this.#fromUs && startUs + durationUs <= this.#toUs)) return 'badTime';
    const isCountable =
      areReadings(originator.bytes, responder.bytes) &&
      areReadings(originator.packets, responder.packets);
    return isCountable ? null : 'badAmount';
  }
}

const areReadings = (a: Whole, b: Whole): boolean => isReading(addWhole(a, b));
