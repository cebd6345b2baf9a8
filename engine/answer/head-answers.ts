import type { Exact } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { laneValue, NARROW_BOUND } from '../../segments/codes/lanes.ts';
import {
  type RankedHead,
  rankedKeyAt,
  rankHead,
  readHead,
  SPAN_HEAD_KEYS,
  TILE_HEAD_KEYS,
} from '../../segments/heads/head.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { SectionLocation, Sections } from '../../segments/pages/sections.ts';
import { blockName, type SegmentBlocks } from '../fetch/segment-blocks.ts';
import type { BlockColumn } from '../kernel/aggregate/aggregate-blocks.ts';
import { rowOf } from '../kernel/blocks/segment-series.ts';
import { type BlockRun, blocksIn, signedRuns } from '../kernel/cover/cover.ts';
import { mapsOf, requestMaps } from '../keys/united-keys.ts';
import type { SegmentQuestion, TopKeys } from '../plan/key-questions.ts';
import type { ScanPlan, SegmentPart } from '../plan/plan-segments.ts';
import type { ScopedSegment } from '../plan/scoped-segment.ts';
import {
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';

/** The head of a segment or of one of its tiles. location: null: it was not written. */
type HeadOfBlock = {
  readonly segment: ScopedSegment;
  readonly run: BlockRun;
  readonly location: SectionLocation | null;
};

/** A head that may answer a read, and what of its block lies outside the window. */
type HeadPlan = HeadOfBlock & { readonly edges: readonly SegmentPart[] };

type MissingHead = {
  readonly segment: ScopedSegment;
  readonly location: SectionLocation;
  readonly codec: KeyCodec;
};

/** isCertified: the window leaves out the edges of the head's segment. */
type HeadAnswer = { readonly answers: readonly TopKeys[]; readonly isCertified: boolean };

type Opened = { readonly plan: HeadPlan; readonly name: string };

/**
 * Answers the questions of reads from heads (segments/heads/head.ts) where these are enough: for
 * the largest keys of one segment or tile by a counter, without a filter. Then neither the keys of
 * the segment nor the values of the block are read. If the window leaves out the edges of a
 * segment, these are read too, and the answer may be certified (see below).
 */
export class HeadAnswers {
  readonly #reader: SegmentReader;
  readonly #blocks: SegmentBlocks;
  readonly #opened = new Map<ScanPlan, Opened>();
  readonly #known = new Map<string, RankedHead>();
  readonly #missing = new Map<string, MissingHead>();

  constructor(reader: SegmentReader, blocks: SegmentBlocks) {
    this.#reader = reader;
    this.#blocks = blocks;
  }

  /**
   * Requests what is needed to answer a read from a head and is not cached; the caller decodes the
   * blocks. Returns the number of requested heads and blocks; null: heads do not answer the read.
   */
  request(planned: ScanPlan, requests: SectionRequests): number | null {
    const plan = planOf(planned);
    if (!plan) return null;
    const { segment, run, location, edges } = plan;
    const { read, group } = planned;
    const { memory } = this.#reader;
    const name = `${segmentName(this.#reader, segment)} ${blockName(run, run.from)} ${read.meterIndex}`;
    const known = this.#known.get(name) ?? memory.find('heads', name);
    if (known) this.#known.set(name, known);
    else if (!location || (edges.length === 0 && this.#hasKeys(segment))) return null;
    else {
      requests.add(segment, [location]);
      this.#missing.set(name, { segment, location, codec: group.codec });
    }
    this.#opened.set(planned, { plan, name });
    let count = known ? 0 : 1;
    for (const { segment: source, cover, above } of edges) {
      requestMaps(this.#blocks, above, requests);
      for (const { run: own } of signedRuns(cover)) {
        count += this.#blocks.request(source, own, read, requests);
      }
    }
    return count;
  }

  /** If the keys are cached, at most the block is missing, which other questions may need too. */
  #hasKeys(segment: ScopedSegment): boolean {
    return this.#reader.memory.has('keys', segmentName(this.#reader, segment));
  }

  /** Decodes the heads that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: ScopedSegment) => Sections): Promise<void> {
    for (const [name, { segment, location, codec }] of this.#missing) {
      const ranked = rankHead(readHead(sectionsOf(segment)(location), codec));
      this.#reader.memory.keep('heads', name, ranked);
      this.#known.set(name, ranked);
      await this.#reader.pause();
    }
    this.#missing.clear();
  }

  /**
   * Returns the answers to the questions of a requested read, in their order; null: the head is not
   * enough.
   */
  of(planned: ScanPlan): HeadAnswer | null {
    const { plan, name } = this.#opened.get(planned) ?? {};
    const head = name === undefined ? null : this.#known.get(name);
    if (!plan || !head) return null;
    if (plan.edges.length === 0) {
      const answers = planned.questions.map((asked) => topOf(head, asked));
      return { answers, isCertified: false };
    }
    const certified = withoutEdges(head, this.#edgesOf(planned, plan));
    const { codec } = planned.group;
    const found = planned.questions.map((asked) =>
      certifiedTop(certified, maxItemsOf(asked), { head, codec }),
    );
    const answers = found.filter((each) => each !== null);
    const isCertified = answers.length === found.length;
    this.#reader.memory.certified.count(isCertified ? 1 : 0, isCertified ? 0 : 1);
    return isCertified ? { answers, isCertified } : null;
  }

  #edgesOf({ read }: ScanPlan, { edges }: HeadPlan): EdgeBlock[] {
    return edges.flatMap(({ segment, cover, above }) => {
      const maps = mapsOf(this.#blocks, above, segment);
      return signedRuns(cover).flatMap(({ run, sign }) =>
        Array.from(this.#blocks.of(segment, run, read)).flatMap(({ ids, column }): EdgeBlock[] =>
          column ? [{ ids, column, sign, maps }] : [],
        ),
      );
    });
  }
}

/** Returns the only head that a read needs, if it may answer all questions. */
function planOf({ read, parts, since, questions }: ScanPlan): HeadPlan | null {
  const { aggregate, prefix, meterIndex } = read;
  const [top, ...otherTops] = parts.filter(({ above }) => above.length === 0);
  const [run, ...otherRuns] = top?.cover.runs ?? [];
  if (!top || !run || otherTops.length > 0 || otherRuns.length > 0) return null;
  if (since.length > 0 || prefix !== null || !isCounting(aggregate)) return null;
  // A head has the total of all keys.
  if (top.segment.limit !== null) return null;
  const edges = parts.flatMap((part): SegmentPart[] => {
    if (part !== top) return [part];
    const { subtract } = part.cover;
    return subtract.length === 0 ? [] : [{ ...part, cover: { runs: [], subtract } }];
  });
  const isSpan = run.kind === 'span';
  if (edges.length > 0 && !isSpan) return null;
  const listed = isSpan ? SPAN_HEAD_KEYS : TILE_HEAD_KEYS;
  const isPlain = questions.every(
    ({ question }) =>
      question.kind === 'top' &&
      question.within === null &&
      question.passing === null &&
      question.maxItems <= listed &&
      (edges.length === 0 || question.withoutCount === true),
  );
  const { heads } = top.segment.directory();
  if (!isPlain || !heads || run.kind === 'part' || blocksIn(run) > 1) return null;
  const ofBlock = isSpan
    ? heads.span
    : (heads.tiles.find(({ start }) => start === run.from)?.heads ?? []);
  return { segment: top.segment, run, location: ofBlock[meterIndex] ?? null, edges };
}

const maxItemsOf = ({ question }: SegmentQuestion): number =>
  question.kind === 'top' ? question.maxItems : 0;

function topOf(head: RankedHead, asked: SegmentQuestion): TopKeys {
  const { keyCount, total, ends, values } = head;
  const { codec } = asked.group;
  const listed = Array.from({ length: Math.min(maxItemsOf(asked), ends.length) }, (_, rank) => ({
    key: codec.decode(rankedKeyAt(head, rank)),
    value: exactOf(laneValue(values, rank)),
  }));
  const rest = listed.reduce((sum, { value }) => sum - value.sum, total);
  const others = listed.length === keyCount ? null : exactOf(rest);
  return {
    kind: 'top',
    listed,
    total: keyCount === 0 ? null : exactOf(total),
    others,
    othersMatching: others,
    keyCount,
  };
}

/*
 * A window near the whole span of a segment is that span less its edges. For its largest keys, the
 * head of the span and the exact values of the edges are often enough. A key of the head has its
 * value in the head less those in the edges. Any other key has at most the last value of the head,
 * and no more in the window, because readings of counters are not negative. So if the last listed
 * key has more than that, no other key can be listed: the answer is *certified*. Its total is that
 * of the span less those of the edges. How many keys the window has stays unknown: a key may have
 * readings in the edges only.
 */

/** A block of an edge. sign: −1 for one that is subtracted. */
export type EdgeBlock = {
  readonly ids: Uint32Array;
  readonly column: BlockColumn;
  readonly sign: 1 | -1;
  /**
   * From the segment of the head down to that of the block: by ordinal of a source, its ordinal in
   * the roll-up; ascending. Empty if the block is of the head's own segment.
   */
  readonly maps: readonly Uint32Array[];
};

/** A key of a head, and its value in the window. */
type Candidate = { readonly rank: number; readonly ordinal: number; readonly value: bigint };

type Certified = {
  /** By value, largest first; of equal ones the smaller key first (decision 24). No zeros. */
  readonly candidates: readonly Candidate[];
  /** No other key has more; 0: there are no others. */
  readonly bound: bigint;
  readonly total: bigint;
};

/** Computes the values of a head's keys, and the total, in the span less its edges. */
export function withoutEdges(head: RankedHead, edges: readonly EdgeBlock[]): Certified {
  const candidates: Candidate[] = [];
  const count = head.ordinals.length;
  for (let rank = 0; rank < count; rank += 1) {
    const ordinal = head.ordinals[rank] as number;
    let value = laneValue(head.values, rank);
    for (const edge of edges) value += valueIn(edge, ordinal);
    if (value > 0n) candidates.push({ rank, ordinal, value });
  }
  candidates.sort((a, b) => compare(b.value, a.value) || a.ordinal - b.ordinal);
  const edgeTotal = edges.reduce((sum, { column, sign }) => sum + BigInt(sign) * sumOf(column), 0n);
  const bound = count < head.keyCount ? laneValue(head.values, count - 1) : 0n;
  return { candidates, bound, total: head.total + edgeTotal };
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the value of a key of the head in an edge, with its sign. */
function valueIn({ ids, column: { values }, sign, maps }: EdgeBlock, ordinal: number): bigint {
  let own = ordinal;
  for (const map of maps) {
    own = rowOf(map, own);
    if (own < 0) return 0n;
  }
  const row = rowOf(ids, own);
  return row < 0 || Number.isNaN(values.low[row]) ? 0n : BigInt(sign) * laneValue(values, row);
}

function sumOf({ values, bound }: BlockColumn): bigint {
  const { low, high } = values;
  if (high === null && bound < NARROW_BOUND) {
    let sum = 0;
    for (let row = 0; row < low.length; row += 1) {
      const value = low[row] as number;
      sum += Number.isNaN(value) ? 0 : value;
    }
    return BigInt(sum);
  }
  let sum = 0n;
  for (let row = 0; row < low.length; row += 1) {
    if (!Number.isNaN(low[row])) sum += laneValue(values, row);
  }
  return sum;
}

/** The head of the candidates, and the names of its keys. */
type NamedHead = { readonly head: RankedHead; readonly codec: KeyCodec };

/** Returns the largest keys; null: they are not certified. */
export function certifiedTop(
  { candidates, bound, total }: Certified,
  maxItems: number,
  { head, codec }: NamedHead,
): TopKeys | null {
  const last = candidates[maxItems - 1];
  if (bound > 0n && !(last && last.value > bound)) return null;
  const listed = candidates.slice(0, maxItems).map(({ rank, value }) => ({
    key: codec.decode(rankedKeyAt(head, rank)),
    value: exactOf(value),
  }));
  const rest = listed.reduce((sum, { value }) => sum - value.sum, total);
  const others = rest === 0n ? null : exactOf(rest);
  return {
    kind: 'top',
    listed,
    total: total === 0n ? null : exactOf(total),
    others,
    othersMatching: others,
    keyCount: bound === 0n ? candidates.length : null,
  };
}

const exactOf = (sum: bigint): Exact => ({ sum, count: 1n });
