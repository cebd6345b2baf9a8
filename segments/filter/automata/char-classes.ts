import { ASSERTIONS, type PatternInstruction } from '../../../domain/filters/pattern-program.ts';
import type { Sliced } from '../../../domain/sliced.ts';

/**
 * Classes of characters that a pattern treats alike: it accepts all characters of a class or none.
 */
export type CharClasses = {
  readonly count: number;
  readonly classOf: (codePoint: number) => number;
  /** Whether all code points from `first` to `last` are in one class. */
  readonly isOneClass: (first: number, last: number) => boolean;
  /** Returns a code point of this class. */
  readonly exampleOf: (charClass: number) => number;
};

export function* charClassesOf(instructions: readonly PatternInstruction[]): Sliced<CharClasses> {
  const distinct = new Set<number>();
  for (const instruction of instructions) {
    for (const bound of boundsOf(instruction)) distinct.add(bound);
    yield;
  }
  const bounds = Uint32Array.from(distinct).sort();
  const classOf = (codePoint: number): number => {
    let from = 0;
    let to = bounds.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((bounds[middle] as number) <= codePoint) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  return {
    count: bounds.length + 1,
    classOf,
    isOneClass: (first, last) => classOf(first) === classOf(last),
    exampleOf: (charClass) => bounds[charClass - 1] ?? 0,
  };
}

/** First and last character of each range that RE2 considers part of a word. */
const WORD_RANGES = ['09', 'AZ', '__', 'az'].flatMap((range) => [
  range.charCodeAt(0),
  range.charCodeAt(1),
]);

export const isWordCharacter = (codePoint: number): boolean => isInRanges(WORD_RANGES, codePoint);

const LOOKS_AT_WORDS = ASSERTIONS.wordBoundary | ASSERTIONS.noWordBoundary;

/** Returns the code points at which an instruction begins a new class. */
function boundsOf(instruction: PatternInstruction): number[] {
  if (instruction.kind === 'chars') return startsOf(instruction.ranges);
  const isAboutWords = instruction.kind === 'where' && (instruction.holds & LOOKS_AT_WORDS) !== 0;
  return isAboutWords ? startsOf(WORD_RANGES) : [];
}

const startsOf = (ranges: readonly number[]): number[] =>
  ranges.map((each, i) => (i % 2 === 0 ? each : each + 1));

/**
 * Whether a code point is in one of the ranges. `ranges` has the first and last code point of each,
 * ascending.
 */
export function isInRanges(ranges: readonly number[], codePoint: number): boolean {
  let from = 0;
  let to = ranges.length >>> 1;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ranges[2 * middle + 1] as number) < codePoint) from = middle + 1;
    else to = middle;
  }
  return 2 * from < ranges.length && (ranges[2 * from] as number) <= codePoint;
}
