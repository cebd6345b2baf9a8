import type { ExporterRow } from '../../db/sql/exporters.ts';
import {
  type DatagramRefusal,
  EXPORT_PROTOCOLS,
  LOSS_UNITS,
  type LostUnits,
} from '../../domain/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Datagram, DecodedDatagram } from '../datagrams/datagram.ts';
import type { MonotonicMs } from '../feed/feed-clock.ts';
import type { ExporterLoss } from '../losses/feed-losses.ts';
import { Exporter } from './exporter.ts';

/** The exporters that a collector has heard, and what is lost and refused of them. */
export class Exporters {
  readonly #known = new Map<string, Exporter>();
  /** Stands for those that are no longer named: they were too many. */
  readonly #others = new Exporter('', 0);
  readonly #waitingOf: (address: string) => number;
  #reported = 0;
  #refused = 0;

  constructor(waitingOf: (address: string) => number) {
    this.#waitingOf = waitingOf;
  }

  get refused(): number {
    return this.#refused;
  }

  note(
    { address, port, receivedMs }: Datagram,
    decoded: DecodedDatagram,
    nowMs: MonotonicMs,
  ): void {
    for (const count of decoded.refused.values()) this.#refused += count;
    this.#at(address, receivedMs).note(decoded, { port, receivedMs, nowMs });
  }

  /** Counts data of an address that could not be taken after all. */
  refuse(address: string, reason: DatagramRefusal, count: number): void {
    (this.#known.get(address) ?? this.#others).refuse(reason, count);
    this.#refused += count;
  }

  /** Settles what has had time to arrive. Returns whether more is lost than at the last call. */
  settle(nowMs: MonotonicMs): boolean {
    for (const exporter of this.#all()) exporter.settle(nowMs);
    return this.#hasMore();
  }

  /** Settles everything: nothing more arrives. Returns the same. */
  end(): boolean {
    for (const exporter of this.#all()) exporter.end();
    return this.#hasMore();
  }

  total(): LostUnits {
    const total = { flows: 0, packets: 0, datagrams: 0 };
    for (const exporter of this.#all()) {
      const lost = exporter.lost();
      for (const unit of LOSS_UNITS) total[unit] += lost[unit];
    }
    return total;
  }

  exporters(): ExporterLoss[] {
    return this.#all()
      .flatMap((exporter) =>
        exporter.losses().map(({ protocol, domain, lost }) => ({
          exporter: exporter.address,
          domain,
          protocol: EXPORT_PROTOCOLS[protocol].label,
          unit: EXPORT_PROTOCOLS[protocol].unit,
          lost,
        })),
      )
      .filter(({ lost }) => lost > 0)
      .sort((a, b) => b.lost - a.lost)
      .slice(0, LIMITS.lossNamedExporters);
  }

  rows(): ExporterRow[] {
    return Array.from(this.#known.values(), (exporter) => {
      const { flows: lostFlows, packets, datagrams } = exporter.lost();
      return {
        address: exporter.address,
        protocols: [...exporter.protocols].sort(),
        firstSeen: new Date(exporter.firstSeenMs),
        lastSeen: new Date(exporter.lastSeenMs),
        flows: exporter.flows,
        lostFlows,
        lostPackets: packets,
        lostDatagrams: datagrams,
        refused: Object.fromEntries(exporter.refused),
        waitingForTemplate: this.#waitingOf(exporter.address),
        samplingRates: exporter.samplingRates(),
        clockAheadSeconds: exporter.clockAheadSeconds,
        doubts: exporter.doubts(),
      };
    });
  }

  #all = (): Exporter[] => [...this.#known.values(), this.#others];

  #hasMore(): boolean {
    const total = this.total();
    const sum = LOSS_UNITS.reduce((all, unit) => all + total[unit], 0);
    const hasMore = sum > this.#reported;
    this.#reported = sum;
    return hasMore;
  }

  #at(address: string, receivedMs: number): Exporter {
    const known = this.#known.get(address);
    if (known !== undefined) return known;
    if (this.#known.size >= LIMITS.collectExporters) this.#forgetOne(receivedMs);
    const exporter = new Exporter(address, receivedMs);
    this.#known.set(address, exporter);
    return exporter;
  }

  /**
   * Forgets the exporter that sent least, and its name only. Addresses are forged by the thousand,
   * but hardly any of them comes again soon.
   */
  #forgetOne(nowMs: number): void {
    let least: Exporter | undefined;
    let leastSent = Number.POSITIVE_INFINITY;
    for (const exporter of this.#known.values()) {
      const isSilent = nowMs - exporter.lastSeenMs >= LIMITS.collectForgetMs;
      const sent = isSilent ? 0 : exporter.datagrams;
      if (sent >= leastSent) continue;
      least = exporter;
      leastSent = sent;
    }
    if (least === undefined) return;
    this.#known.delete(least.address);
    this.#others.absorb(least);
  }
}
