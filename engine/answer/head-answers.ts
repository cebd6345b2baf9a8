import type { Exact } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
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
import type { StoredSegment } from '../../store/read/manifest.ts';
import { blockName, type SegmentBlocks } from '../fetch/segment-blocks.ts';
import { type BlockRun, blocksIn, signedRuns } from '../kernel/cover/cover.ts';
import { mapsOf, requestMaps } from '../keys/parts-union.ts';
import type { SegmentQuestion, TopKeys } from '../plan/key-questions.ts';
import type { SegmentPart } from '../plan/plan-segments.ts';
import {
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';
import { certifiedTop, type EdgeUnit, withoutEdges } from './certified-head.ts';
import type { PlannedRead } from './plan-questions.ts';

/** The head of a segment or of one of its tiles. location: null: it was not written. */
type HeadOfBlock = {
  readonly segment: StoredSegment;
  readonly run: BlockRun;
  readonly location: SectionLocation | null;
};

/** A head that may answer a read, and what of its block lies outside the window. */
type HeadPlan = HeadOfBlock & { readonly edges: readonly SegmentPart[] };

type MissingHead = {
  readonly segment: StoredSegment;
  readonly location: SectionLocation;
  readonly codec: KeyCodec;
};

type Opened = { readonly plan: HeadPlan; readonly name: string };

/**
 * Answers the questions of reads from heads (segments/heads/head.ts) where these are enough: for
 * the largest keys of one segment or tile by a counter, without a filter. Then neither the keys of
 * the segment nor the values of the block are read. If the window leaves out the edges of a
 * segment, these are read too, and the answer may be certified (certified-head.ts).
 */
export class HeadAnswers {
  readonly #reader: SegmentReader;
  readonly #blocks: SegmentBlocks;
  readonly #opened = new Map<PlannedRead, Opened>();
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
  request(planned: PlannedRead, requests: SectionRequests): number | null {
    const plan = planOf(planned);
    if (!plan) return null;
    const { segment, run, location, edges } = plan;
    const { read, group } = planned;
    const { memory } = this.#reader;
    const name = `${segmentName(this.#reader, segment)} ${blockName(run, run.from)} ${read.slot}`;
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
  #hasKeys(segment: StoredSegment): boolean {
    return this.#reader.memory.has('keys', segmentName(this.#reader, segment));
  }

  /** Decodes the heads that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
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
  of(planned: PlannedRead): TopKeys[] | null {
    const { plan, name } = this.#opened.get(planned) ?? {};
    const head = name === undefined ? null : this.#known.get(name);
    if (!plan || !head) return null;
    if (plan.edges.length === 0) {
      return planned.questions.map((asked) => topOf(head, asked));
    }
    const certified = withoutEdges(head, this.#edgesOf(planned, plan));
    const { codec } = planned.group;
    const found = planned.questions.map((asked) =>
      certifiedTop(certified, maxItemsOf(asked), { head, codec }),
    );
    const answers = found.filter((each) => each !== null);
    const isCertified = answers.length === found.length;
    this.#reader.memory.certified.count(isCertified ? 1 : 0, isCertified ? 0 : 1);
    return isCertified ? answers : null;
  }

  /** Whether a read that is answered leaves out the edges of a segment. */
  isCertified = (planned: PlannedRead): boolean =>
    (this.#opened.get(planned)?.plan.edges.length ?? 0) > 0;

  #edgesOf({ read }: PlannedRead, { edges }: HeadPlan): EdgeUnit[] {
    return edges.flatMap(({ segment, cover, above }) => {
      const maps = mapsOf(this.#blocks, above, segment);
      return signedRuns(cover).flatMap(({ run, sign }) =>
        Array.from(this.#blocks.of(segment, run, read)).flatMap(({ ids, column }): EdgeUnit[] =>
          column ? [{ ids, column, sign, maps }] : [],
        ),
      );
    });
  }
}

/** Returns the only head that a read needs, if it may answer all questions. */
function planOf({ read, parts, since, questions }: PlannedRead): HeadPlan | null {
  const { fold, prefix, slot } = read;
  const [top, ...otherTops] = parts.filter(({ above }) => above.length === 0);
  const [run, ...otherRuns] = top?.cover.runs ?? [];
  if (!top || !run || otherTops.length > 0 || otherRuns.length > 0) return null;
  if (since.length > 0 || prefix !== null || !isCounting(fold)) return null;
  const edges = parts.flatMap((part): SegmentPart[] => {
    if (part !== top) return [part];
    const { less } = part.cover;
    return less.length === 0 ? [] : [{ ...part, cover: { runs: [], less } }];
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
  return { segment: top.segment, run, location: ofBlock[slot - 1] ?? null, edges };
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

const exactOf = (sum: bigint): Exact => ({ sum, count: 1n });
