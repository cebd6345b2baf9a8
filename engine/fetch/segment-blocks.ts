import { WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import type { LocatedGroup, SectionLocation } from '../../segments/pages/directory.ts';
import { groupsWithin } from '../../segments/pages/read-range.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import type { KnownBlock } from '../cache/segment-memory.ts';
import type { BlocksWanted, SegmentBlock, StoredGroup } from '../kernel/blocks/decode-blocks.ts';
import type { BlockRun } from '../kernel/cover/cover.ts';
import { blocksIn } from '../kernel/cover/cover-segment.ts';
import type { UnitColumn } from '../kernel/fold/unit-column.ts';
import { type SectionWishes, type SegmentReader, segmentName } from '../snapshot/segment-reader.ts';

/** Adjacent blocks of a segment that are not cached; meterIndex null: only their keys. */
type MissingRun = {
  readonly segment: StoredSegment;
  readonly run: BlockRun;
  readonly meterIndex: number | null;
};

export type StartedBlock = { readonly start: number; readonly block: KnownBlock };

/** Returns the blocks of a segment's run that have readings of the meter at `meterIndex`. */
export type BlocksByStart = {
  readonly startsOf: (
    segment: StoredSegment,
    run: BlockRun,
    meterIndex: number,
  ) => Iterable<StartedBlock>;
};

const EMPTY: KnownBlock = { ids: new Uint32Array(0), column: null };

/** The blocks that some reads need, each once. Blocks that are not cached are read. */
export class SegmentBlocks {
  readonly #reader: SegmentReader;
  readonly #found = new Map<string, KnownBlock>();
  readonly #missing = new Map<string, MissingRun>();

  constructor(reader: SegmentReader) {
    this.#reader = reader;
  }

  /**
   * Looks up the blocks of a run in the cache, and requests the others. Returns the number of
   * requested blocks. meterIndex: of the meter to read; null: no meter, only the keys.
   */
  want(
    segment: StoredSegment,
    run: BlockRun,
    meterIndex: number | null,
    wishes: SectionWishes,
  ): number {
    let count = 0;
    for (const missing of this.#unknown(segment, run, meterIndex)) {
      count += blocksIn(missing);
      const name = `${this.#name(segment, missing, meterIndex)} ${missing.to}`;
      if (this.#missing.has(name)) continue;
      this.#missing.set(name, { segment, run: missing, meterIndex });
      for (const { groups } of levelRanges(segment, missing)) {
        for (const { ordinals, columns } of groups) {
          wishes.add(segment, [ordinals, columnAt(columns, meterIndex)]);
        }
      }
    }
    return count;
  }

  /** Decodes the sections that were read. Errors: DamagedSegment. */
  async decode(sectionsOf: (segment: StoredSegment) => Sections): Promise<void> {
    const missing = [...this.#missing.values()];
    this.#missing.clear();
    if (missing.length === 0) return;
    const { threadPool, memory, caller } = this.#reader;
    const wanted = missing.map((each) => toWanted(each, sectionsOf(each.segment)));
    for (const [i, blocks] of (await threadPool.decode(wanted, caller)).entries()) {
      const { segment, run, meterIndex } = missing[i] as MissingRun;
      const byStart = new Map(blocks.map((block) => [block.start, block]));
      for (const start of blockStarts(run)) {
        const block = byStart.get(start);
        const known: KnownBlock = block
          ? { ids: block.ids, column: columnOf(block, meterIndex) }
          : EMPTY;
        const name = this.#name(segment, { ...run, from: start }, meterIndex);
        this.#found.set(name, known);
        memory.keep('blocks', name, known);
      }
    }
  }

  /** Returns the blocks of a requested run that have readings of the meter. */
  *of(segment: StoredSegment, run: BlockRun, meterIndex: number): Generator<KnownBlock> {
    for (const { block } of this.startsOf(segment, run, meterIndex)) yield block;
  }

  /** Like `of`, with the start of each block. */
  *startsOf(segment: StoredSegment, run: BlockRun, meterIndex: number): Generator<StartedBlock> {
    for (const start of blockStarts(run)) {
      const block = this.#at(segment, { ...run, from: start }, meterIndex);
      if (block.column) yield { start, block };
    }
  }

  /** Returns the keys of a run of one block, even if the meter has no reading. */
  idsOf(segment: StoredSegment, run: BlockRun): Uint32Array {
    return this.#at(segment, run, 0).ids;
  }

  /** Returns the keys of each block of a run of which only the keys were requested. */
  *keysOf(segment: StoredSegment, run: BlockRun): Generator<Uint32Array> {
    for (const start of blockStarts(run))
      yield this.#at(segment, { ...run, from: start }, null).ids;
  }

  /** Returns the first or only block of a run. */
  #at(segment: StoredSegment, run: BlockRun, meterIndex: number | null): KnownBlock {
    const block = this.#found.get(this.#name(segment, run, meterIndex));
    if (!block) throw new Error(`a block of segment ${segment.segmentId} was not wanted`);
    return block;
  }

  /** Returns the blocks of a run that are not cached, as runs. */
  #unknown(segment: StoredSegment, run: BlockRun, meterIndex: number | null): BlockRun[] {
    const unknown: BlockRun[] = [];
    for (const start of blockStarts(run)) {
      const name = this.#name(segment, { ...run, from: start }, meterIndex);
      if (this.#found.has(name)) continue;
      const known = this.#reader.memory.find('blocks', name);
      if (known) {
        this.#found.set(name, known);
        continue;
      }
      const end = run.level === WHOLE_SPAN ? run.to : start + run.level;
      const last = unknown.at(-1);
      if (last?.to === start) unknown[unknown.length - 1] = { ...last, to: end };
      else unknown.push({ level: run.level, from: start, to: end });
    }
    return unknown;
  }

  #name(segment: StoredSegment, { level, from }: BlockRun, meterIndex: number | null): string {
    return `${segmentName(this.#reader, segment)} ${level} ${from} ${meterIndex}`;
  }
}

const columnAt = (
  columns: LocatedGroup['columns'],
  meterIndex: number | null,
): SectionLocation | null => (meterIndex === null ? null : (columns[meterIndex] ?? null));

const columnOf = ({ columns }: SegmentBlock, meterIndex: number | null): UnitColumn | null =>
  meterIndex === null ? null : (columns.get(meterIndex) ?? null);

function* blockStarts({ level, from, to }: BlockRun): Generator<number> {
  if (level === WHOLE_SPAN) yield from;
  else for (let start = from; start < to; start += level) yield start;
}

/** Returns, for each range of a segment's keys, the groups that have blocks of a run. */
function levelRanges(segment: StoredSegment, run: BlockRun) {
  let firstOrdinal = 0;
  return segment.directory().ranges.map(({ keyCount, levels }) => {
    const level = levels.find(({ stepSeconds }) => stepSeconds === run.level);
    if (!level) throw new Error(`segment ${segment.segmentId} has no level ${run.level}`);
    // Each range gives its own first bucket as the start of the whole span.
    const groups: readonly LocatedGroup[] =
      run.level === WHOLE_SPAN ? level.groups : groupsWithin(level, run);
    const range = { keyCount, firstOrdinal, groups };
    firstOrdinal += keyCount;
    return range;
  });
}

function toWanted({ segment, run, meterIndex }: MissingRun, sections: Sections): BlocksWanted {
  const groups = levelRanges(segment, run).flatMap(({ keyCount, firstOrdinal, groups: located }) =>
    located.map(({ firstStart, ordinals, columns }): StoredGroup => {
      if (ordinals === null) throw new Error('a group has ordinals');
      const column = columnAt(columns, meterIndex);
      return {
        stepSeconds: run.level,
        first: firstStart,
        firstOrdinal,
        keyCount,
        ordinals: sections(ordinals),
        columns: new Map(
          meterIndex === null || column === null ? [] : [[meterIndex, sections(column)]],
        ),
      };
    }),
  );
  return {
    from: run.from,
    to: run.to,
    meterIndexes: meterIndex === null ? [] : [meterIndex],
    groups,
  };
}
