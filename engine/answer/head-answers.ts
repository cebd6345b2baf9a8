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
import { blockName } from '../fetch/segment-blocks.ts';
import { blocksIn } from '../kernel/cover/cover.ts';
import type { SegmentGroup, TopKeys } from '../plan/key-questions.ts';
import {
  type SectionRequests,
  type SegmentReader,
  segmentName,
} from '../snapshot/segment-reader.ts';
import type { PlannedRead } from './plan-questions.ts';

/** The head of a segment or of one of its tiles. location: null: it was not written. */
type HeadOfBlock = {
  readonly segment: StoredSegment;
  /** Identifies the block in the segment. */
  readonly block: string;
  readonly location: SectionLocation | null;
};

type MissingHead = {
  readonly segment: StoredSegment;
  readonly location: SectionLocation;
  readonly name: string;
  readonly group: SegmentGroup;
};

/**
 * Answers the questions of reads from heads (segments/heads/head.ts) where these are enough: for
 * the largest keys of one segment or tile by a counter, without a filter. Then neither the keys of
 * the segment nor the values of the block are read.
 */
export class HeadAnswers {
  readonly #reader: SegmentReader;
  readonly #known = new Map<PlannedRead, RankedHead>();
  readonly #missing = new Map<PlannedRead, MissingHead>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
  }

  /**
   * Returns whether heads answer all questions of a read. Those that are not cached are requested.
   */
  request(planned: PlannedRead, requests: SectionRequests): boolean {
    const head = headOf(planned);
    if (!head) return false;
    const { segment, block, location } = head;
    const { read, group } = planned;
    const name = `${segmentName(this.#reader, segment)} ${block} ${read.slot}`;
    const known = this.#reader.memory.find('heads', name);
    if (known) {
      this.#known.set(planned, known);
      return true;
    }
    // If the keys are cached, at most the block is missing, which other questions may need too.
    if (this.#reader.memory.has('keys', segmentName(this.#reader, segment))) return false;
    if (location === null) return false;
    requests.add(segment, [location]);
    this.#missing.set(planned, { segment, location, name, group });
    return true;
  }

  /** Whether the head of a read was not cached. */
  isMissing = (planned: PlannedRead): boolean => this.#missing.has(planned);

  /** Decodes the heads that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
    for (const [planned, { segment, location, name, group }] of this.#missing) {
      const ranked = rankHead(readHead(sectionsOf(segment)(location), group.codec));
      this.#reader.memory.keep('heads', name, ranked);
      this.#known.set(planned, ranked);
      await this.#reader.pause();
    }
  }

  /** Returns the answers to the questions of a read, in their order; null: heads have none. */
  of(planned: PlannedRead): TopKeys[] | null {
    const head = this.#known.get(planned);
    if (!head) return null;
    return planned.questions.map(({ question, group }) =>
      topOf(head, question.kind === 'top' ? question.maxItems : 0, group.codec),
    );
  }
}

/** Returns the only head that a read needs, if it may answer all questions. */
function headOf({ read, parts, since, questions }: PlannedRead): HeadOfBlock | null {
  const { fold, prefix, slot } = read;
  const [part, ...otherParts] = parts;
  const [run, ...otherRuns] = part?.cover.runs ?? [];
  if (!part || !run || otherParts.length > 0 || otherRuns.length > 0) return null;
  const { cover, segment, above } = part;
  if (since.length > 0 || above.length > 0 || cover.less.length > 0) return null;
  if (prefix !== null || !isCounting(fold)) return null;
  const listed = run.kind === 'span' ? SPAN_HEAD_KEYS : TILE_HEAD_KEYS;
  const isPlain = questions.every(
    ({ question }) =>
      question.kind === 'top' &&
      question.within === null &&
      question.passing === null &&
      question.maxItems <= listed,
  );
  const { heads } = segment.directory();
  if (!isPlain || !heads || run.kind === 'part' || blocksIn(run) > 1) return null;
  const ofBlock =
    run.kind === 'span'
      ? heads.span
      : (heads.tiles.find(({ start }) => start === run.from)?.heads ?? []);
  return { segment, block: blockName(run, run.from), location: ofBlock[slot - 1] ?? null };
}

function topOf(head: RankedHead, maxItems: number, codec: KeyCodec): TopKeys {
  const { keyCount, total, ends, values } = head;
  const listed = Array.from({ length: Math.min(maxItems, ends.length) }, (_, rank) => ({
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
