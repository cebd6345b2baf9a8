import {
  EXPORT_PROTOCOLS,
  type ExportProtocol,
  LOSS_UNITS,
  type LossUnit,
  type LostUnits,
} from '../../domain/exporters.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ExportNumber } from './export-number.ts';
import { ExporterLosses } from './exporter-losses.ts';
import type { Counting } from './sequence.ts';

/** What was lost of an exporter, in the unit that its protocol counts. */
export type ExporterLoss = {
  readonly exporter: string;
  /** Empty if lines do not say it. */
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

/** An exporter whose numbers are tracked. */
type Followed = Pick<ExportNumber, 'exporter' | 'domain' | 'protocol'> & {
  readonly losses: ExporterLosses;
  heardAtMs: number;
};

/**
 * What exporters sent but no line reports, by the sequence numbers of their packets. Lines may
 * arrive out of order: what is missing counts as lost once it has had time to arrive.
 */
export class FeedLosses {
  readonly #followed = new Map<string, Followed>();
  /** Losses of exporters that are no longer tracked. */
  readonly #forgotten: Record<LossUnit, number> = { flows: 0, packets: 0, datagrams: 0 };
  #linesSinceCheck = 0;
  #nowMs = 0;
  #lookedAtMs: number | null = null;
  /** Total that was lost, in all units, when `settle` or `end` was last called. */
  #reported = 0;

  readonly note = (numbered: ExportNumber): void => {
    const { number, records, near } = numbered;
    const followed = this.#followedOf(numbered);
    if (followed === null) return;
    followed.heardAtMs = this.#nowMs;
    followed.losses.take(number, records, near);
    this.#linesSinceCheck += 1;
    if (this.#linesSinceCheck >= LIMITS.lostAfterLines) this.#check();
  };

  /**
   * Settles losses by a clock that only moves forward. Called at intervals if time advances with
   * the lines, as in a feed. Returns whether more is lost than at the last call.
   */
  settle(nowMs: number): boolean {
    this.#nowMs = nowMs;
    this.#lookedAtMs ??= nowMs;
    if (nowMs - this.#lookedAtMs >= LIMITS.lostAfterMs) {
      this.#lookedAtMs = nowMs;
      this.#check();
      this.#forgetIdle(nowMs);
    }
    return this.#hasMore();
  }

  /**
   * Counts what is missing as lost: nothing more arrives. Returns whether more is lost than before.
   */
  end(): boolean {
    for (const { losses } of this.#followed.values()) losses.end();
    return this.#hasMore();
  }

  #hasMore(): boolean {
    const sum = LOSS_UNITS.reduce((all, unit) => all + this.total()[unit], 0);
    const hasMore = sum > this.#reported;
    this.#reported = sum;
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

  /** Returns the exporters with losses, largest first. */
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

  #check(): void {
    this.#linesSinceCheck = 0;
    for (const { losses } of this.#followed.values()) losses.settle();
  }

  /** Returns null if there are too many exporters, and this one is not among the first. */
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
