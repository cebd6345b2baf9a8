import { ceilTo, floorTo, type Interval } from '../domain/interval.ts';
import type { Resolutions } from './resolutions.ts';

/** Blocks of one resolution that follow each other, from `from` to before `to`. */
export type BlockRun = { readonly level: number; readonly from: number; readonly to: number };

/**
 * What is known of a coarse block: `whole`, it can be used; `empty`, nothing lies in it; `apart`,
 * only finer blocks tell what it would hold.
 */
export type CoarseState = 'whole' | 'empty' | 'apart';

/** Blocks to be added up, and those of which the readings are to be taken out again. */
export type Cover = { readonly runs: readonly BlockRun[]; readonly less: readonly BlockRun[] };

export type CoverRules = {
  readonly resolutions: Resolutions;
  readonly stateOf: (level: number, start: number) => CoarseState;
  /** Whether readings can be taken out of a block again: of sums they can. */
  readonly canSubtract: boolean;
};

/**
 * Few blocks that cover the buckets that start in an interval exactly: coarse inside, fine at the
 * edges and where coarse ones cannot be used. A day but for its first minutes is the day less
 * these, where that is less work, and so on within these. Each list ascends; only where nothing is
 * taken out, it never overlaps.
 */
export function coverInterval(interval: Interval, rules: CoverRules): Cover {
  const levels = [...rules.resolutions.base, ...rules.resolutions.coarse];
  const [bucket = 1] = levels;
  const [from, to] = [ceilTo(interval.from, bucket), ceilTo(interval.to, bucket)];
  if (from >= to) return NOTHING;
  const { runs, less } = new CoverSearch(levels, rules).between(from, to);
  return { runs: inOrder(runs), less: inOrder(less) };
}

/** How many blocks the runs have. */
export const blockCount = (runs: readonly BlockRun[]): number =>
  runs.reduce((count, { level, from, to }) => count + (to - from) / level, 0);

/** A cover, and about how much work it is. */
type Weighed = Cover & { readonly weight: number };

const NOTHING: Weighed = { runs: [], less: [], weight: 0 };

/**
 * A block of twice the time has less than twice the keys, since most are in both halves; how much
 * less depends on the traffic, which is not known here.
 */
const weightOf = (level: number, count: number): number => count * Math.sqrt(level);

const blocks = (level: number, from: number, to: number): Weighed =>
  from >= to
    ? NOTHING
    : { runs: [{ level, from, to }], less: [], weight: weightOf(level, (to - from) / level) };

const join = (...parts: readonly Weighed[]): Weighed => ({
  runs: parts.flatMap(({ runs }) => runs),
  less: parts.flatMap(({ less }) => less),
  weight: parts.reduce((sum, { weight }) => sum + weight, 0),
});

const without = (whole: Weighed, ...parts: readonly Weighed[]): Weighed =>
  join(whole, ...parts.map(({ runs, less, weight }) => ({ runs: less, less: runs, weight })));

const lighter = (a: Weighed, b: Weighed | null): Weighed =>
  b !== null && b.weight < a.weight ? b : a;

/** Ascending, with blocks that follow each other as one run. */
function inOrder(runs: readonly BlockRun[]): BlockRun[] {
  const joined: BlockRun[] = [];
  for (const run of runs.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last?.level === run.level && last.to === run.from) {
      joined[joined.length - 1] = { ...last, to: run.to };
    } else joined.push(run);
  }
  return joined;
}

/** `place` is that of a level: its blocks are made of those of the places below. */
class CoverSearch {
  readonly #levels: readonly number[];
  readonly #rules: CoverRules;

  constructor(levels: readonly number[], rules: CoverRules) {
    this.#levels = levels;
    this.#rules = rules;
  }

  /** From a bucket to before another one, by blocks of up to the level of `place`. */
  between(from: number, to: number, place = this.#levels.length - 1): Weighed {
    const level = this.#level(place);
    const [first, end] = [ceilTo(from, level), floorTo(to, level)];
    if (first <= end) {
      const [left, right] = [this.#edges(place, from).after, this.#edges(place, to).before];
      return join(left, this.#aligned(place, first, end), right);
    }
    // Both lie in one block.
    const plain = this.between(from, to, place - 1);
    const whole = this.#whole(place, end);
    if (whole === null) return plain;
    return lighter(
      plain,
      without(whole, this.#edges(place, from).before, this.#edges(place, to).after),
    );
  }

  #level(place: number): number {
    return this.#levels[place] ?? 1;
  }

  /** What lies before and after a point within its block; nothing on the boundary of two. */
  #edges(place: number, point: number): { before: Weighed; after: Weighed } {
    const level = this.#level(place);
    const [start, end] = [floorTo(point, level), ceilTo(point, level)];
    if (start === end || this.#isEmpty(place, start)) return { before: NOTHING, after: NOTHING };
    const below = this.#level(place - 1);
    const inner = this.#edges(place - 1, point);
    const before = join(this.#aligned(place - 1, start, floorTo(point, below)), inner.before);
    const after = join(inner.after, this.#aligned(place - 1, ceilTo(point, below), end));
    const whole = this.#whole(place, start);
    if (whole === null) return { before, after };
    return {
      before: lighter(before, without(whole, after)),
      after: lighter(after, without(whole, before)),
    };
  }

  /** A block from which something can be taken; null: there is none. */
  #whole(place: number, start: number): Weighed | null {
    if (!this.#rules.canSubtract) return null;
    const level = this.#level(place);
    if (this.#isCoarse(place) && this.#rules.stateOf(level, start) !== 'whole') return null;
    return blocks(level, start, start + level);
  }

  #isEmpty(place: number, start: number): boolean {
    return this.#isCoarse(place) && this.#rules.stateOf(this.#level(place), start) === 'empty';
  }

  #isCoarse(place: number): boolean {
    return place >= this.#rules.resolutions.base.length;
  }

  /** Between two boundaries of the level's blocks. */
  #aligned(place: number, from: number, to: number): Weighed {
    const level = this.#level(place);
    if (!this.#isCoarse(place)) return blocks(level, from, to);
    const parts: Weighed[] = [];
    for (let start = from; start < to; start += level) {
      const state = this.#rules.stateOf(level, start);
      if (state === 'whole') parts.push(blocks(level, start, start + level));
      else if (state === 'apart') parts.push(this.#aligned(place - 1, start, start + level));
    }
    return join(...parts);
  }
}
