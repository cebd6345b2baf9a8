import { ceilTo, floorTo, type Interval } from '../../../domain/time/interval.ts';

/** Consecutive blocks of one level, from `from` to before `to`. */
export type BlockRun = { readonly level: number; readonly from: number; readonly to: number };

/** Blocks to add, and blocks to subtract. */
export type Cover = { readonly runs: readonly BlockRun[]; readonly less: readonly BlockRun[] };

/** A run whose blocks are added (1) or subtracted (−1). */
type SignedRun = { readonly run: BlockRun; readonly sign: 1 | -1 };

export const signedRuns = ({ runs, less }: Cover): SignedRun[] => [
  ...runs.map((run): SignedRun => ({ run, sign: 1 })),
  ...less.map((run): SignedRun => ({ run, sign: -1 })),
];

/** Seconds of a block, ascending; each is a multiple of the previous one. */
type CoverLevels = readonly number[];

/**
 * Returns a small number of blocks that cover exactly the buckets that start in an interval: coarse
 * inside, fine at the edges. An hour without its first minutes is the hour minus those minutes, if
 * that is less work and readings can be subtracted (those of sums can). The same applies
 * recursively to those minutes. Each list is in ascending order; its blocks may overlap only if
 * some are subtracted.
 */
export function coverInterval(
  interval: Interval,
  levels: CoverLevels,
  canSubtract: boolean,
): Cover {
  const [bucket = 1] = levels;
  const from = ceilTo(interval.from, bucket);
  const to = ceilTo(interval.to, bucket);
  if (from >= to) return NOTHING;
  const { runs, less } = new CoverSearch(levels, canSubtract).between(from, to);
  return { runs: inOrder(runs), less: inOrder(less) };
}

/** A cover, and an estimate of its work. */
type Weighed = Cover & { readonly weight: number };

const NOTHING: Weighed = { runs: [], less: [], weight: 0 };

/**
 * Estimates the work of blocks. A block of twice the length has less than twice the keys, because
 * most keys are in both halves. How much less depends on the traffic, which is not known here.
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

const lighter = (a: Weighed, b: Weighed): Weighed => (b.weight < a.weight ? b : a);

/** Returns the runs in ascending order, with adjacent runs of one level joined. */
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

/** Searches for the lightest cover. Levels of lower indexes are finer. */
class CoverSearch {
  readonly #levels: CoverLevels;
  readonly #canSubtract: boolean;

  constructor(levels: CoverLevels, canSubtract: boolean) {
    this.#levels = levels;
    this.#canSubtract = canSubtract;
  }

  /** Covers the buckets from `from` to before `to` by blocks of up to the level at `levelIndex`. */
  between(from: number, to: number, levelIndex = this.#levels.length - 1): Weighed {
    const level = this.#level(levelIndex);
    const first = ceilTo(from, level);
    const end = floorTo(to, level);
    if (first <= end) {
      const left = this.#edges(levelIndex, from).after;
      const right = this.#edges(levelIndex, to).before;
      return join(left, blocks(level, first, end), right);
    }
    // Both ends lie in one block.
    const plain = this.between(from, to, levelIndex - 1);
    if (!this.#canSubtract) return plain;
    const { before } = this.#edges(levelIndex, from);
    const { after } = this.#edges(levelIndex, to);
    return lighter(plain, without(blocks(level, end, end + level), before, after));
  }

  #level(levelIndex: number): number {
    return this.#levels[levelIndex] ?? 1;
  }

  /** Covers the parts of a block before and after a point in it; both empty on a boundary. */
  #edges(levelIndex: number, point: number): { before: Weighed; after: Weighed } {
    const level = this.#level(levelIndex);
    const start = floorTo(point, level);
    const end = ceilTo(point, level);
    if (start === end) return { before: NOTHING, after: NOTHING };
    const below = this.#level(levelIndex - 1);
    const inner = this.#edges(levelIndex - 1, point);
    const before = join(blocks(below, start, floorTo(point, below)), inner.before);
    const after = join(inner.after, blocks(below, ceilTo(point, below), end));
    if (!this.#canSubtract) return { before, after };
    const whole = blocks(level, start, end);
    return {
      before: lighter(before, without(whole, after)),
      after: lighter(after, without(whole, before)),
    };
  }
}
