import { LIMITS } from '../../domain/limits.ts';
import type { DatagramNumber } from '../datagrams/datagram.ts';
import type { MonotonicMs } from '../feed/feed-clock.ts';
import { distanceOf } from '../losses/sequence.ts';

/** Numbers that have not arrived, from `from` on. */
type Gap = { readonly from: number; readonly size: number; readonly sinceMs: MonotonicMs };

/** Numbers go around after this many. */
const NUMBERS = 2 ** 32;

/** Where numbers stood before they seemed to start over, which late datagrams may pretend. */
type Left = {
  readonly next: number | null;
  readonly gaps: readonly Gap[];
  readonly sinceMs: MonotonicMs;
};

/** Where a datagram stands in its sequence. */
type Place = {
  readonly number: number;
  readonly units: number | null;
  /** Whether the exporter says that it has started since the previous datagram. */
  readonly isRestart: boolean;
  readonly nowMs: MonotonicMs;
};

/**
 * Finds what is missing from numbers that count what was sent before each datagram, which arrive
 * nearly in order. What is missing may come late for a while, and then counts as lost. Numbers that
 * start over are an exporter that was restarted, and nothing counts as lost by that.
 */
class NumberGaps {
  lost = 0;
  /** The number that should come next; null: unknown. */
  #next: number | null = null;
  #gaps: Gap[] = [];
  /** What should come after a datagram that was elsewhere, if it was the first after a restart. */
  #restart: { readonly next: number; readonly isFromZero: boolean } | null = null;
  #left: Left | null = null;

  /** How far a number is ahead of one that is missing; null: none is known to be. */
  aheadOf(number: number): number | null {
    if (this.#gapOf(number) !== -1) return 0;
    return this.#next === null ? null : distanceOf(this.#next, number);
  }

  /** Returns the distance from the number that was expected; null: none was. */
  take(place: Place): number | null {
    const { number, isRestart, nowMs } = place;
    this.#goBackTo(number);
    const expected = this.#next;
    const distance = expected === null ? 0 : distanceOf(expected, number);
    // One that begins behind but ends ahead is the next one, of an exporter that does not count all
    // it sends: softflowd leaves out the records of its options.
    const isBehind = distance < 0 && distance + (place.units ?? 0) <= 0;
    // One far ahead may be malformed, or forged: the next one has to continue there.
    const isElsewhere = isBehind || distance > LIMITS.collectLongestGap;
    if (isElsewhere && !isRestart) {
      this.#takeElsewhere(place);
      return distance;
    }
    if (isRestart && distance !== 0) this.end();
    else if (distance > 0) {
      this.#gaps.push({ from: expected ?? number, size: distance, sinceMs: nowMs });
      if (this.#gaps.length > LIMITS.collectGaps) this.#giveUp(1);
    }
    this.#next = after(place);
    this.#restart = null;
    return expected === null ? null : distance;
  }

  /** Counts as lost what has been missing for long. */
  settle(nowMs: MonotonicMs): void {
    const open = this.#gaps.findIndex(({ sinceMs }) => nowMs - sinceMs < LIMITS.collectReorderMs);
    this.#giveUp(open === -1 ? this.#gaps.length : open);
    if (this.#left && nowMs - this.#left.sinceMs >= LIMITS.collectReorderMs) this.#giveUpLeft();
  }

  end(): void {
    this.#giveUp(this.#gaps.length);
    this.#giveUpLeft();
  }

  /** Goes back to where numbers were if one continues there: they were duplicates, not a start. */
  #goBackTo(number: number): void {
    if (this.#left === null || this.#left.next === null || this.#next === null) return;
    const ahead = distanceOf(this.#left.next, number);
    if (ahead < 0 || ahead >= distanceOf(this.#next, number)) return;
    this.#next = this.#left.next;
    this.#gaps = [...this.#left.gaps];
    this.#left = null;
  }

  /**
   * Takes a datagram that is late, is a duplicate, or comes from an exporter that started over: its
   * next datagram then continues there, too.
   */
  #takeElsewhere(place: Place): void {
    const { number } = place;
    if (this.#fillGap(place)) return;
    const step = this.#restart === null ? -1 : distanceOf(this.#restart.next, number);
    const isNear = step > 0 && step <= LIMITS.collectLongestGap;
    if (this.#restart !== null && (step === 0 || (this.#restart.isFromZero && isNear))) {
      this.#giveUpLeft();
      this.#left = { next: this.#next, gaps: this.#gaps, sinceMs: place.nowMs };
      this.#gaps = [];
      this.#next = this.#restart.next;
      this.#restart = null;
      this.take(place);
    } else this.#restart = { next: after(place) ?? number, isFromZero: number === 0 };
  }

  /** Returns whether the numbers were missing. */
  #fillGap({ number, units }: Place): boolean {
    const i = this.#gapOf(number);
    const gap = this.#gaps[i];
    if (gap === undefined) return false;
    const { from, size, sinceMs } = gap;
    const before = distanceOf(from, number);
    const behind = size - before - (units ?? 0);
    const left = [
      { from, size: before, sinceMs },
      { from: numberAt(number + (units ?? 0)), size: behind, sinceMs },
    ];
    this.#gaps.splice(i, 1, ...left.filter((part) => part.size > 0));
    return true;
  }

  #gapOf(number: number): number {
    return this.#gaps.findIndex(({ from, size }) => {
      const within = distanceOf(from, number);
      return within >= 0 && within < size;
    });
  }

  #giveUpLeft(): void {
    for (const { size } of this.#left?.gaps ?? []) this.lost += size;
    this.#left = null;
  }

  /** Counts the oldest gaps as lost. */
  #giveUp(gaps: number): void {
    for (const { size } of this.#gaps.splice(0, gaps)) this.lost += size;
  }
}

const numberAt = (count: number): number => ((count % NUMBERS) + NUMBERS) % NUMBERS;

const after = ({ number, units }: Place): number | null =>
  units === null ? null : numberAt(number + units);

/**
 * One sequence of an exporter. By RFC 7011, numbers of IPFIX count what was sent before a message;
 * some exporters, softflowd among them, count what is in it as well. Both are tried, and the result
 * of the one that fits more datagrams is told; as long as both fit as many, that of the RFC.
 */
export class DatagramSequence {
  readonly #before = new NumberGaps();
  readonly #own: NumberGaps | null;
  /** Datagrams that fit only one of the two. */
  #fitsBefore = 0;
  #fitsOwn = 0;
  #startedMs: number | null = null;
  #uptimeMs = 0;

  constructor(protocol: DatagramNumber['protocol']) {
    this.#own = protocol === 'ipfix' ? new NumberGaps() : null;
  }

  get lost(): number {
    const isOwn = this.#own !== null && this.#fitsOwn > this.#fitsBefore;
    return isOwn ? this.#own.lost : this.#before.lost;
  }

  /** How far a number is ahead of one that is missing; null: none is known to be. */
  aheadOf = (number: number): number | null => this.#before.aheadOf(number);

  take(
    { number, units, uptimeMs, sentMs }: DatagramNumber,
    { receivedMs, nowMs }: { readonly receivedMs: number; readonly nowMs: MonotonicMs },
  ): void {
    const startedMs = uptimeMs === null ? null : (sentMs ?? receivedMs) - uptimeMs;
    // A start that shifts while the uptime goes on is a clock that was set.
    const isRestart = this.#hasShifted(startedMs) && (uptimeMs ?? 0) < this.#uptimeMs;
    this.#startedMs = startedMs;
    this.#uptimeMs = uptimeMs ?? 0;
    const before = this.#before.take({ number, units, isRestart, nowMs });
    if (this.#own === null) return;
    const ownNumber = numberAt(number - (units ?? 0));
    const own = this.#own.take({ number: ownNumber, units, isRestart, nowMs });
    if (before === 0 && own !== 0) this.#fitsBefore += 1;
    if (own === 0 && before !== 0) this.#fitsOwn += 1;
  }

  /** Takes a refused datagram as arrived where it is missing; elsewhere, its number is wrong. */
  takeRefused({ number, units }: DatagramNumber, nowMs: MonotonicMs): void {
    if (this.aheadOf(number) !== 0) return;
    const place = { number, units, isRestart: false, nowMs };
    this.#before.take(place);
    this.#own?.take(place);
  }

  settle(nowMs: MonotonicMs): void {
    this.#before.settle(nowMs);
    this.#own?.settle(nowMs);
  }

  end(): void {
    this.#before.end();
    this.#own?.end();
  }

  /** Uptime goes around, too: a start that shifts by that is the same one. */
  #hasShifted(startedMs: number | null): boolean {
    if (startedMs === null || this.#startedMs === null) return false;
    const shift = Math.abs(Math.round(startedMs - this.#startedMs) | 0);
    return shift > LIMITS.collectStartShiftMs;
  }
}
