import { LIMITS } from '../../../domain/limits.ts';
import { SLOT } from './elements.ts';
import { type DataRecord, numberIn, offsetOf } from './field-values.ts';

/** What an exporter says about sampling in one of its domains. */
export class Samplers {
  /** The rate of all of the domain, from options that name no sampler and no interface. */
  #rate: number | null = null;
  /** By the number of a sampler; of an interface, by `interfaceKey`. */
  readonly #rates = new Map<number, number>();
  /** How many samplers have each rate. */
  readonly #users = new Map<number, number>();

  /** The rate of flows that name no sampler; null if samplers differ. */
  common: number | null = 1;

  /** Whether interfaces have rates of their own. */
  hasInterfaces = false;

  /**
   * Returns the rate of a sampler; null if it is unknown. Flows that are not sampled may name 0.
   */
  of(id: number): number | null {
    return this.#rates.get(id) ?? (id === 0 ? this.common : this.#rate);
  }

  /**
   * Returns the rate of a flow that names no sampler, by the interface that it came in or went out
   * through (RFC 3954, section 6.1); null if it is unknown.
   */
  ofInterfaces(record: DataRecord): number | null {
    if (!this.hasInterfaces) return this.common;
    const rateAt = (slot: number) => this.#rates.get(interfaceKey(numberIn(record, slot)));
    return rateAt(SLOT.ingressInterface) ?? rateAt(SLOT.egressInterface) ?? this.common;
  }

  get size(): number {
    return this.#rates.size;
  }

  /** Takes a record of options, of which few are about sampling. */
  take(record: DataRecord): void {
    const given = samplingRateIn(record);
    if (given === null) return;
    const rate = Math.max(1, given);
    const id = samplerIn(record);
    const place = numberIn(record, SLOT.ingressInterface);
    if (id !== -1) this.#set(id, rate);
    else if (place !== -1) {
      this.#set(interfaceKey(place), rate);
      this.hasInterfaces = true;
    } else this.#rate = rate;
    this.common = this.#commonRate();
  }

  /**
   * Returns the rate of the domain, or else the one that all samplers have. Without any, nothing is
   * sampled.
   */
  #commonRate(): number | null {
    if (this.#rate !== null) return this.#rate;
    if (this.#users.size > 1) return null;
    const [rate = 1] = this.#users.keys();
    return rate;
  }

  #set(id: number, rate: number): void {
    this.#remove(id);
    const [oldest] = this.#rates.keys();
    if (oldest !== undefined && this.#rates.size >= LIMITS.samplersPerDomain) this.#remove(oldest);
    this.#rates.set(id, rate);
    this.#users.set(rate, (this.#users.get(rate) ?? 0) + 1);
  }

  #remove(id: number): void {
    const rate = this.#rates.get(id);
    if (rate === undefined) return;
    this.#rates.delete(id);
    const users = (this.#users.get(rate) ?? 1) - 1;
    if (users === 0) this.#users.delete(rate);
    else this.#users.set(rate, users);
  }
}

/** Tells interfaces from samplers, whose numbers are not negative. NaN: a record names none. */
const interfaceKey = (number: number): number => (number === -1 ? Number.NaN : -1 - number);

/** Returns the number of the sampler that a record names; -1 if it names none. */
export function samplerIn(record: DataRecord): number {
  const selector = numberIn(record, SLOT.selectorId);
  return selector === -1 ? numberIn(record, SLOT.samplerId) : selector;
}

/**
 * Returns how many packets one stands for, by the fields that a record has for that, in whole
 * packets; null if it has none, 0 if they are not set.
 */
export function samplingRateIn(record: DataRecord): number | null {
  const rate =
    ratioIn(record, SLOT.samplingPopulation, SLOT.samplingSize) ??
    intervalIn(record, SLOT.samplingPacketInterval, SLOT.samplingPacketSpace) ??
    intervalIn(record, SLOT.samplingTimeInterval, SLOT.samplingTimeSpace) ??
    probabilityIn(record) ??
    givenIn(record, SLOT.samplerRandomInterval) ??
    givenIn(record, SLOT.samplingInterval);
  if (rate === null) return null;
  const whole = Math.round(rate);
  return Number.isSafeInteger(whole) ? whole : 0;
}

function givenIn(record: DataRecord, slot: number): number | null {
  const value = numberIn(record, slot);
  return value === -1 ? null : value;
}

/** RFC 5477: `size` packets are chosen of `population`. */
function ratioIn(record: DataRecord, population: number, size: number): number | null {
  const all = givenIn(record, population);
  const chosen = givenIn(record, size);
  return all === null || chosen === null || chosen === 0 ? null : all / chosen;
}

/**
 * RFC 5477: what comes within an interval is chosen, and nothing in the space that follows. If an
 * exporter leaves out the space, it means one packet of as many.
 */
function intervalIn(record: DataRecord, interval: number, space: number): number | null {
  const chosen = givenIn(record, interval);
  const left = givenIn(record, space);
  if (chosen === null || chosen === 0) return null;
  return left === null ? chosen : (chosen + left) / chosen;
}

function probabilityIn(record: DataRecord): number | null {
  const offset = offsetOf(record, SLOT.samplingProbability);
  if (offset === -1) return null;
  const probability = record.bytes.readDoubleBE(record.at + offset);
  return probability > 0 ? 1 / probability : null;
}
