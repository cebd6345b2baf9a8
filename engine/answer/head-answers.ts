import { ceilTo, floorTo } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { HEAD_KEYS } from '../../segments/blocks/heads.ts';
import { WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import { type RankedHead, rankedKeyAt, rankHeads } from '../../segments/blocks/rank-heads.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { SECTION_KEYS } from '../../segments/keys/key-section.ts';
import { type HeadQuestion, headSections, readHead } from '../../segments/pages/read-head.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import type { SegmentGroup, TopKeys } from '../plan/key-questions.ts';
import { type SectionWishes, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';
import type { PlannedRead } from './plan-questions.ts';

/** A block, and the segment that has it. */
type HeadBlock = { readonly segment: StoredSegment; readonly question: HeadQuestion };

type Wanted = HeadBlock & { readonly name: string; readonly group: SegmentGroup };

/**
 * Answers the questions of reads from the heads of blocks (segments/blocks/heads.ts) where these
 * are enough: for the largest keys of one whole block by a counter, without a filter. Then neither
 * the keys of the segment nor the values of the block are read.
 */
export class HeadAnswers {
  readonly #reader: SegmentReader;
  readonly #known = new Map<PlannedRead, RankedHead>();
  readonly #missing = new Map<PlannedRead, Wanted>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
  }

  /**
   * Returns whether heads answer all questions of a read. Those that are not cached are requested.
   */
  want(planned: PlannedRead, wishes: SectionWishes): boolean {
    const block = blockOf(planned);
    if (!block) return false;
    const { segment, question } = block;
    const { stepSeconds, start, meterIndex } = question;
    const name = `${segmentName(this.#reader, segment)} ${stepSeconds} ${start} ${meterIndex}`;
    const known = this.#reader.memory.find('heads', name);
    if (known) {
      this.#known.set(planned, known);
      return true;
    }
    // If the keys are cached, at most the block is missing, which other questions may need too.
    if (this.#reader.memory.has('keys', segmentName(this.#reader, segment))) return false;
    const sections = segment.directory().ranges.map((range) => headSections(range, question));
    if (sections.some((each) => each === null)) return false;
    wishes.add(
      segment,
      sections.flatMap((each) => each ?? []),
    );
    this.#missing.set(planned, { ...block, name, group: planned.group });
    return true;
  }

  /** Whether the head of a read was not cached. */
  isMissing = (planned: PlannedRead): boolean => this.#missing.has(planned);

  /** Decodes the heads that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
    for (const [planned, { segment, question, name, group }] of this.#missing) {
      const directory = segment.directory();
      const sections = sectionsOf(segment);
      const heads = [];
      for (const range of directory.ranges) {
        const head = readHead({ directory, range, sections }, group.codec, question);
        if (head) heads.push(head);
        await this.#reader.pause();
      }
      const ranked = rankHeads(heads);
      this.#reader.memory.keep('heads', name, ranked);
      this.#known.set(planned, ranked);
    }
  }

  /** Returns the answers to the questions of a read, in their order; null: `want` was false. */
  of(planned: PlannedRead): TopKeys[] | null {
    const head = this.#known.get(planned);
    if (!head) return null;
    return planned.questions.map(({ question, group }) =>
      topOf(head, question.kind === 'top' ? question.maxItems : 0, group.codec),
    );
  }
}

/** Returns the only block that a read needs, if its heads may answer all questions. */
function blockOf({ read, parts, since, questions }: PlannedRead): HeadBlock | null {
  const isPlain = questions.every(
    ({ question }) =>
      question.kind === 'top' &&
      question.within === null &&
      question.passing === null &&
      question.maxItems <= HEAD_KEYS,
  );
  const { fold, prefix, slot } = read;
  if (!isPlain || prefix !== null || since.length > 0 || !isCounting(fold)) return null;
  const [part] = parts;
  const [run] = part?.cover.runs ?? [];
  if (!part || !run || parts.length > 1 || part.above.length > 0) return null;
  const { cover, segment } = part;
  if (cover.runs.length > 1 || cover.less.length > 0) return null;
  const ranges = segment.directory().ranges.filter(({ keyCount }) => keyCount > SECTION_KEYS);
  const keyCount = ranges.reduce((sum, range) => sum + range.keyCount, 0);
  // Heads of small ranges are calculated, from all of their keys.
  const isLarge = 2 * keyCount > segment.keyCount;
  const { level: stepSeconds } = run;
  const isWhole = stepSeconds === WHOLE_SPAN;
  const start = isWhole ? run.from : floorTo(run.from, stepSeconds);
  if (!isLarge || (!isWhole && ceilTo(run.to, stepSeconds) - start > stepSeconds)) return null;
  return { segment, question: { stepSeconds, start, meterIndex: slot - 1, fold } };
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
