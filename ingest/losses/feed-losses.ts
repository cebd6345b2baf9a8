import { LIMITS } from '../../domain/limits.ts';
import {
  EXPORT_PROTOCOLS,
  type ExportNumber,
  type ExportProtocol,
  LOSS_UNITS,
  type LossUnit,
  type LostUnits,
} from './export-number.ts';
import { ExporterLosses } from './exporter-losses.ts';
import type { Counting } from './sequence.ts';

/** What was lost of an exporter, in the unit that its protocol counts in. */
export type ExporterLoss = {
  readonly exporter: string;
  /** Empty where lines do not tell. */
  readonly domain: string;
  readonly protocol: string;
  readonly unit: LossUnit;
  readonly lost: number;
};

const COUNTING: Readonly<Record<ExportProtocol, Counting>> = {
  netflow5: 'flowsBefore',
  netflow9: 'packets',
  ipfix: 'flows',
  sflow: 'packets',
};

/** An exporter whose numbers are followed. */
type Followed = Pick<ExportNumber, 'exporter' | 'domain' | 'protocol'> & {
  readonly losses: ExporterLosses;
  heardAtMs: number;
};

/**
 * What exporters sent and no line tells of, by the sequence numbers of their packets. Lines may be
 * in another order: what is missing counts as lost once it had its time to arrive.
 */
export class FeedLosses {
  readonly #followed = new Map<string, Followed>();
  /** Of exporters that were forgotten. */
  readonly #forgotten: Record<LossUnit, number> = { flows: 0, packets: 0, datagrams: 0 };
  #linesSinceLook = 0;
  #nowMs = 0;
  #lookedAtMs: number | null = null;
  /** How much was lost, in all units, when it was last asked for. */
  #told = 0;

  readonly note = (numbered: ExportNumber): void => {
    const { number, records, near } = numbered;
    const followed = this.#followedOf(numbered);
    if (followed === null) return;
    followed.heardAtMs = this.#nowMs;
    followed.losses.take(number, records, near);
    this.#linesSinceLook += 1;
    if (this.#linesSinceLook >= LIMITS.lostAfterLines) this.#look();
  };

  /**
   * To be called now and then where time goes on with the lines, as it does for a feed. Gives
   * whether more is lost than when it was last called.
   */
  settle(nowMs: number): boolean {
    this.#nowMs = nowMs;
    this.#lookedAtMs ??= nowMs;
    if (nowMs - this.#lookedAtMs >= LIMITS.lostAfterMs) {
      this.#lookedAtMs = nowMs;
      this.#look();
      this.#forgetIdle(nowMs);
    }
    return this.#hasMore();
  }

  /** Nothing more comes: what is missing is lost. Whether that is more than before. */
  end(): boolean {
    for (const { losses } of this.#followed.values()) losses.end();
    return this.#hasMore();
  }

  #hasMore(): boolean {
    const sum = LOSS_UNITS.reduce((all, unit) => all + this.total()[unit], 0);
    const hasMore = sum > this.#told;
    this.#told = sum;
    return hasMore;
  }

  #forgetIdle(nowMs: number): void {
    for (const [name, followed] of this.#followed) {
      if (nowMs - followed.heardAtMs < LIMITS.lossExporterIdleMs) continue;
      followed.losses.end();
      this.#forgotten[EXPORT_PROTOCOLS[followed.protocol].unit] += followed.losses.lost;
      this.#followed.delete(name);
    }
  }

  total(): LostUnits {
    const total = { ...this.#forgotten };
    for (const { protocol, losses } of this.#followed.values()) {
      total[EXPORT_PROTOCOLS[protocol].unit] += losses.lost;
    }
    return total;
  }

  /** The exporters of which something was lost, the most first. */
  exporters(): ExporterLoss[] {
    return Array.from(this.#followed.values(), ({ exporter, domain, protocol, losses }) => ({
      exporter,
      domain,
      protocol: EXPORT_PROTOCOLS[protocol].label,
      unit: EXPORT_PROTOCOLS[protocol].unit,
      lost: losses.lost,
    }))
      .filter(({ lost }) => lost > 0)
      .sort((a, b) => b.lost - a.lost)
      .slice(0, LIMITS.lossNamedExporters);
  }

  #look(): void {
    this.#linesSinceLook = 0;
    for (const { losses } of this.#followed.values()) losses.settle();
  }

  /** null: there are too many exporters, and this one is not among the first. */
  #followedOf({ exporter, domain, protocol }: ExportNumber): Followed | null {
    const name = `${protocol} ${exporter} ${domain}`;
    const known = this.#followed.get(name);
    if (known) return known;
    if (this.#followed.size >= LIMITS.lossExporters) return null;
    const losses = new ExporterLosses(COUNTING[protocol]);
    const followed = { exporter, domain, protocol, losses, heardAtMs: this.#nowMs };
    this.#followed.set(name, followed);
    return followed;
  }
}
