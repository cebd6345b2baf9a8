import {
  type DatagramRefusal,
  EXPORT_PROTOCOLS,
  type ExportProtocol,
  LOSS_UNITS,
  type LossUnit,
  type LostUnits,
} from '../../domain/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { DatagramNumber, DecodedDatagram } from '../datagrams/datagram.ts';
import type { MonotonicMs } from '../feed/feed-clock.ts';
import { DatagramSequence } from './datagram-sequence.ts';

type FollowedSequence = {
  readonly protocol: ExportProtocol;
  readonly domain: string;
  readonly sequence: DatagramSequence;
};

/** When a datagram arrived, by both clocks of a collector, and from which port. */
export type DatagramArrival = {
  readonly port: number;
  readonly receivedMs: number;
  readonly nowMs: MonotonicMs;
};

/** What is lost of one sequence. */
export type SequenceLoss = {
  readonly protocol: ExportProtocol;
  readonly domain: string;
  readonly lost: number;
};

/** What a collector knows of the exporter at an address. */
export class Exporter {
  readonly address: string;
  readonly protocols = new Set<ExportProtocol>();
  readonly firstSeenMs: number;
  lastSeenMs: number;
  datagrams = 0;
  flows = 0;
  readonly refused = new Map<DatagramRefusal, number>();
  /** Seconds by which its clock is ahead of the collector's; null: it does not say. */
  clockAheadSeconds: number | null = null;
  #ofUnknownSampler = 0;
  /** When each sampling rate was last used. */
  readonly #rates = new Map<number, number>();
  /** The sequences, the one that was heard last at the end. */
  readonly #sequences = new Map<string, FollowedSequence>();
  /** Losses of sequences that are no longer followed. */
  readonly #forgotten: Record<LossUnit, number> = { flows: 0, packets: 0, datagrams: 0 };

  constructor(address: string, firstSeenMs: number) {
    this.address = address;
    this.firstSeenMs = firstSeenMs;
    this.lastSeenMs = firstSeenMs;
  }

  note(
    { flows, number, refused, samplingRates, ofUnknownSampler }: DecodedDatagram,
    at: DatagramArrival,
  ): void {
    this.lastSeenMs = Math.max(this.lastSeenMs, at.receivedMs);
    for (const [reason, count] of refused) this.refuse(reason, count);
    for (const rate of samplingRates) this.#noteRate(rate, at.receivedMs);
    this.datagrams += 1;
    this.flows += flows.length;
    this.#ofUnknownSampler += ofUnknownSampler;
    if (number === null) return;
    if (number.isRefused) {
      this.#sequences.get(sequenceName(number, at.port))?.sequence.takeRefused(number, at.nowMs);
      return;
    }
    this.protocols.add(number.protocol);
    if (number.sentMs !== null) this.clockAheadSeconds = (number.sentMs - at.receivedMs) / 1000;
    this.#sequenceOf(number, at.port).take(number, at);
  }

  refuse(reason: DatagramRefusal, count: number): void {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + count);
  }

  /** Settles what has had time to arrive. */
  settle(nowMs: MonotonicMs): void {
    for (const { sequence } of this.#sequences.values()) sequence.settle(nowMs);
  }

  /** Settles everything: nothing more arrives. */
  end(): void {
    for (const { sequence } of this.#sequences.values()) sequence.end();
  }

  /** Takes over what is lost of another one that is forgotten. */
  absorb(other: Exporter): void {
    other.end();
    const lost = other.lost();
    for (const unit of LOSS_UNITS) this.#forgotten[unit] += lost[unit];
  }

  lost(): LostUnits {
    const lost = { ...this.#forgotten };
    for (const each of this.losses()) lost[EXPORT_PROTOCOLS[each.protocol].unit] += each.lost;
    return lost;
  }

  /** Returns the losses of the sequences that are followed. */
  losses(): SequenceLoss[] {
    return Array.from(this.#sequences.values(), ({ protocol, domain, sequence }) => ({
      protocol,
      domain,
      lost: sequence.lost,
    }));
  }

  /** Returns the sampling rates in use, smallest first. */
  samplingRates(): number[] {
    const recent = this.lastSeenMs - LIMITS.collectRateMs;
    const used = [...this.#rates].filter(([, usedMs]) => usedMs >= recent);
    return used.map(([rate]) => rate).sort((a, b) => a - b);
  }

  /** Returns what is doubtful about it, as sentences. */
  doubts(): string[] {
    return [...clockDoubts(this.clockAheadSeconds), ...samplerDoubts(this.#ofUnknownSampler)];
  }

  #noteRate(rate: number, usedMs: number): void {
    this.#rates.delete(rate);
    this.#rates.set(rate, usedMs);
    if (this.#rates.size > LIMITS.collectRates) deleteFirst(this.#rates);
  }

  #sequenceOf(at: DatagramNumber, port: number): DatagramSequence {
    const { protocol, domain } = at;
    const name = sequenceName(at, port);
    const known = this.#sequences.get(name) ?? this.#movedTo(at);
    const followed = known ?? { protocol, domain, sequence: new DatagramSequence(protocol) };
    this.#sequences.delete(name);
    this.#sequences.set(name, followed);
    if (this.#sequences.size > LIMITS.collectSequences) {
      const silent = deleteFirst(this.#sequences);
      silent?.sequence.end();
      if (silent) this.#forgotten[EXPORT_PROTOCOLS[silent.protocol].unit] += silent.sequence.lost;
    }
    return followed.sequence;
  }

  /**
   * Returns the sequence that a number from a new port continues, which no longer belongs to its
   * former port. Exporters behind a gateway are told apart by their ports, but some exporters send
   * from another one now and then. undefined: it continues none.
   */
  #movedTo({ protocol, domain, number }: DatagramNumber): FollowedSequence | undefined {
    let nearest: string | undefined;
    let nearestAhead = LIMITS.collectMovedGap + 1;
    for (const [name, each] of this.#sequences) {
      const ahead = each.sequence.aheadOf(number);
      const isOfSame = each.protocol === protocol && each.domain === domain;
      if (!isOfSame || ahead === null || ahead < 0 || ahead >= nearestAhead) continue;
      nearest = name;
      nearestAhead = ahead;
    }
    if (nearest === undefined) return undefined;
    const moved = this.#sequences.get(nearest);
    this.#sequences.delete(nearest);
    return moved;
  }
}

const sequenceName = ({ protocol, domain }: DatagramNumber, port: number): string =>
  `${protocol} ${port} ${domain}`;

/** Deletes the entry that was set first, and returns its value. */
function deleteFirst<K, V>(map: Map<K, V>): V | undefined {
  for (const [key, value] of map) {
    map.delete(key);
    return value;
  }
  return undefined;
}

function clockDoubts(aheadSeconds: number | null): string[] {
  if (aheadSeconds === null || Math.abs(aheadSeconds) < LIMITS.collectClockSeconds) return [];
  const seconds = Math.round(Math.abs(aheadSeconds)).toLocaleString('en');
  const where = aheadSeconds > 0 ? 'ahead of' : 'behind';
  return [
    `its clock is ${seconds} s ${where} the collector's, and its flows are counted at the times ` +
      'that it says: set its clock, best by NTP',
  ];
}

function samplerDoubts(flows: number): string[] {
  if (flows === 0) return [];
  return [
    `${flows.toLocaleString('en')} of its flows name a sampler that it has not described, and ` +
      'count as not sampled: let it export its sampler options',
  ];
}
