/**
 * What a packet's number counts, in units of its protocol. `packets`: packets, so lines with the
 * same number belong to one packet. `flowsBefore`: the flows of all packets before it (NetFlow v5,
 * and RFC 7011 for IPFIX). `flows`: either those or, as in softflowd, those of the packet itself as
 * well.
 */
export type Counting = 'packets' | 'flowsBefore' | 'flows';

/** A packet and its number of flows, which is known because packets arrived one after the other. */
type Newest = { readonly number: number; units: number };

/**
 * Returns the distance from one number to another; numbers wrap at 2^32. Takes the shorter way
 * round.
 */
export const distanceOf = (from: number, to: number): number => (to - from) | 0;

/**
 * One run of an exporter's sequence numbers: how many units it stands for, and how many arrived.
 * The difference was lost, as in RTP (RFC 3550, A.3). The order does not matter: only sums are kept
 * and, if several lines share a number, which numbers have arrived.
 *
 * Units may arrive late, so `settle` settles only what lies below the newest number of the previous
 * call: each unit has had at least the time between two calls to arrive.
 */
export class Sequence {
  /** What was lost so far; it never decreases. */
  lost = 0;
  readonly #counting: Counting;
  /** Numbers here continue beyond 2^32. */
  #first: number;
  #firstUnits = 0;
  #newest: Newest;
  #before: Newest | null = null;
  /** The newest number at the last `settle`; the next call settles everything below it. */
  #mark: number | null = null;
  /** Everything below this is settled; null if nothing is. */
  #settled: number | null = null;
  /** Units that arrived: in what is settled, below the mark, from the mark on, and at the mark. */
  #settledUnits = 0;
  #olderUnits = 0;
  #newerUnits = 0;
  #markUnits = 0;
  /** Numbers that arrived, of the packets that are not settled yet. */
  #seen = new Set<number>();
  #seenBefore = new Set<number>();
  /**
   * Since the last `settle`: whether anything arrived that counts, and anything too late to count.
   */
  #isHeard = true;
  #isLate = false;
  /** Number of packets that fit each of the two ways to count flows. */
  #countsBefore = 0;
  #countsOwn = 0;

  constructor(number: number, counting: Counting) {
    this.#counting = counting;
    this.#first = number;
    this.#newest = { number, units: 0 };
  }

  get firstNumber(): number {
    return this.#first;
  }

  /** The number that follows what has arrived. */
  get nextNumber(): number {
    return this.#newest.number + this.#newest.units;
  }

  /** Returns whether a number is within `near` of what is not settled yet. */
  hasNear(number: number, near: number): boolean {
    const distance = distanceOf(this.#newest.number, number);
    const lowest = (this.#settled ?? this.#first) - this.#newest.number;
    return distance <= near && distance >= lowest - near;
  }

  /** Counts the records of a line. */
  take(number: number, records: number): void {
    const at = this.#newest.number + distanceOf(this.#newest.number, number);
    if (this.#settled !== null && at < this.#settled) {
      this.#isLate = true;
      return;
    }
    this.#isHeard = true;
    const units = this.#unitsOf(at, records);
    if (units > 0) this.#count(at, units);
  }

  /**
   * Settles what has had time to arrive. Returns false if only numbers arrived that were already
   * settled.
   */
  settle(): boolean {
    if (this.#mark !== null) this.#settleTo(this.#mark);
    this.#mark = this.#newest.number;
    this.#markUnits = this.#newest.units;
    this.#olderUnits = this.#newerUnits;
    this.#newerUnits = 0;
    this.#seenBefore = this.#seen;
    this.#seen = new Set();
    const goesOn = this.#isHeard || !this.#isLate;
    this.#isHeard = false;
    this.#isLate = false;
    return goesOn;
  }

  /** Settles everything up to the newest packet: nothing more arrives. */
  end(): void {
    this.settle();
    this.settle();
  }

  #unitsOf(at: number, records: number): number {
    if (this.#counting !== 'packets') return records;
    const isKnown = this.#seen.has(at) || this.#seenBefore.has(at);
    if (isKnown || (at === this.#newest.number && this.#newest.units > 0)) return 0;
    this.#seen.add(at);
    return 1;
  }

  #count(at: number, units: number): void {
    if (at < this.#first) {
      // The first line that was read need not belong to the first packet.
      this.#first = at;
      this.#firstUnits = 0;
    }
    if (at === this.#first) this.#firstUnits += units;
    if (at === this.#mark) this.#markUnits += units;
    if (at > this.#newest.number) this.#advanceTo(at);
    if (at === this.#newest.number) this.#newest.units += units;
    else if (this.#mark !== null && at < this.#mark) this.#olderUnits += units;
    else this.#newerUnits += units;
  }

  #advanceTo(at: number): void {
    const { number, units } = this.#newest;
    this.#newerUnits += units;
    if (this.#before !== null) {
      const step = number - this.#before.number;
      if (step === this.#before.units && step !== units) this.#countsBefore += 1;
      if (step === units && step !== this.#before.units) this.#countsOwn += 1;
    }
    this.#before = this.#newest;
    this.#newest = { number: at, units: 0 };
  }

  #settleTo(mark: number): void {
    this.#settledUnits += this.#olderUnits;
    this.#settled = mark;
    const before = mark - this.#first - this.#settledUnits;
    // Numbers that include a packet's own flows are ahead by the first packet's, and lack the
    // last's.
    const own = before + this.#firstUnits - this.#markUnits;
    this.lost = Math.max(this.lost, this.#isOf(before, own));
  }

  /** As long as it is unknown how the exporter counts, returns the smaller result of both ways. */
  #isOf(before: number, own: number): number {
    if (this.#counting !== 'flows') return before;
    if (this.#countsBefore === this.#countsOwn) return Math.min(before, own);
    return this.#countsBefore > this.#countsOwn ? before : own;
  }
}
