import type { Fold } from '../../domain/toppers/meter-type.ts';
import { headOf, readGroupHead, type StoredHead } from '../blocks/heads.ts';
import { WHOLE_SPAN } from '../blocks/levels.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { SECTION_KEYS } from '../keys/key-section.ts';
import type { LocatedGroup, LocatedLevel, LocatedRange, SectionLocation } from './directory.ts';
import { EVER, type RangeSource, readBlocks, readKeys } from './read-range.ts';

/** A block and a meter. */
export type HeadQuestion = {
  /** The level of the block. */
  readonly stepSeconds: number;
  readonly start: number;
  /** Position of the meter (slot − 1). */
  readonly meterIndex: number;
  readonly fold: Fold;
};

/**
 * Returns the sections from which `readHead` reads the largest keys of a block of a range. Null if
 * they would have to be calculated from many keys.
 */
export function headSections(
  range: LocatedRange,
  question: HeadQuestion,
): readonly (SectionLocation | null)[] | null {
  const level = levelOf(range, question);
  if (!level) return null;
  const group = groupOf(level, question);
  if (!group) return [];
  const { meterIndex } = question;
  if (group.heads.length > 0) return [group.heads[meterIndex] ?? null];
  if (range.keyCount > SECTION_KEYS) return null;
  return [...range.keys, group.ordinals, group.columns[meterIndex] ?? null];
}

/** Reads the head of a block, or calculates it. Null: no reading. Errors: DamagedSegment. */
export function readHead(
  source: RangeSource,
  codec: KeyCodec,
  question: HeadQuestion,
): StoredHead | null {
  const { range, sections } = source;
  const { stepSeconds, start, meterIndex, fold } = question;
  const level = levelOf(range, question);
  const group = level && groupOf(level, question);
  if (!level || !group) return null;
  if (group.heads.length > 0) {
    const section = group.heads[meterIndex] ?? null;
    const times = { stepSeconds, first: group.firstStart };
    return section && readGroupHead(sections(section), codec, times, start);
  }
  const within = stepSeconds === WHOLE_SPAN ? EVER : { from: start, to: start + stepSeconds };
  const readings = readBlocks(source, level, { ...within, meterIndexes: [meterIndex] });
  const keys = readKeys(range, codec, sections);
  const rows = { from: 0, to: readings.ordinals.length };
  return headOf({ level: { keys, readings }, meterIndex, fold, codec }, rows);
}

const levelOf = (
  { levels }: LocatedRange,
  { stepSeconds }: HeadQuestion,
): LocatedLevel | undefined => levels.find((level) => level.stepSeconds === stepSeconds);

const groupOf = (
  { groups }: LocatedLevel,
  { stepSeconds, start }: HeadQuestion,
): LocatedGroup | undefined =>
  stepSeconds === WHOLE_SPAN
    ? groups[0]
    : groups.find(({ firstStart, lastStart }) => firstStart <= start && start <= lastStart);
