import type { RE2JS } from 're2js';
import type { Sliced } from '../sliced.ts';

/**
 * One instruction of a program that finds a pattern, as RE2 compiles it (Cox, "Regular Expression
 * Matching: the Virtual Machine Approach").
 *
 * chars: one character whose code point is in one of `ranges`, which lists the first and last code
 * point of each range, ascending. where: consumes nothing; all assertions in `holds` must hold.
 */
export type PatternInstruction =
  | { readonly kind: 'chars'; readonly ranges: readonly number[]; readonly next: number }
  | { readonly kind: 'either'; readonly next: number; readonly other: number }
  | { readonly kind: 'where'; readonly holds: number; readonly next: number }
  | { readonly kind: 'skip'; readonly next: number }
  | { readonly kind: 'found' }
  | { readonly kind: 'never' };

/** Matches a pattern from where the program is started, which may be anywhere in the text. */
export type PatternProgram = {
  readonly instructions: readonly PatternInstruction[];
  readonly start: number;
};

/** Bits of `holds`, with RE2's numbers. */
export const ASSERTIONS = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

/**
 * Returns the program of a compiled pattern. Returns null if it has instructions of re2js that
 * are not known here, as for non-ASCII letters in any case: then only re2js knows what matches.
 *
 * re2js exposes its programs but does not document their format, so all of it is checked.
 */
export function* patternProgram(pattern: RE2JS): Sliced<PatternProgram | null> {
  const compiled: unknown = pattern.re2().prog;
  if (!isRecord(compiled) || !Array.isArray(compiled['inst'])) return null;
  const start = compiled['start'];
  if (compiled['numLb'] !== 0) return null;
  const instructions: PatternInstruction[] = [];
  for (const each of compiled['inst'] as readonly unknown[]) {
    yield;
    const instruction = isRecord(each) ? readInstruction(each) : null;
    if (instruction === null) return null;
    instructions.push(instruction);
  }
  const isInside = (at: unknown): at is number => typeof at === 'number' && at in instructions;
  if (!isInside(start) || !instructions.flatMap(targetsOf).every(isInside)) return null;
  return { instructions, start };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function targetsOf(instruction: PatternInstruction): number[] {
  if (instruction.kind === 'either') return [instruction.next, instruction.other];
  return 'next' in instruction ? [instruction.next] : [];
}

function readInstruction({
  op,
  out,
  arg,
  runes,
}: Readonly<Record<string, unknown>>): PatternInstruction | null {
  if (typeof op !== 'number' || typeof out !== 'number' || typeof arg !== 'number') return null;
  switch (op) {
    case 1: // ALT
    case 2: // ALT_MATCH
      return { kind: 'either', next: out, other: arg };
    case 3: // CAPTURE
    case 7: // NOP
      return { kind: 'skip', next: out };
    case 4: // EMPTY_WIDTH
      return arg > 0 && arg < 64 ? { kind: 'where', holds: arg, next: out } : null;
    case 5: // FAIL
      return { kind: 'never' };
    case 6: // MATCH
      return { kind: 'found' };
    case 8: // RUNE
    case 9: // RUNE1
    case 10: // RUNE_ANY
    case 11: // RUNE_ANY_NOT_NL
      return readChars(runes, arg, out);
    default:
      return null;
  }
}

const FOLDS_CASE = 1;

function readChars(runes: unknown, flags: number, next: number): PatternInstruction | null {
  if (!(runes instanceof Int32Array) || flags > FOLDS_CASE) return null;
  const [rune] = runes;
  if (runes.length === 1 && rune !== undefined) {
    const ranges = flags === FOLDS_CASE ? foldedRanges(rune) : [rune, rune];
    return ranges && { kind: 'chars', ranges, next };
  }
  const isAscending = runes.every((each, i) => i === 0 || (runes[i - 1] ?? 0) <= each);
  if (runes.length % 2 === 1 || flags !== 0 || !isAscending) return null;
  return { kind: 'chars', ranges: [...runes], next };
}

/** The two non-ASCII letters that are ASCII letters in another case (CaseFolding.txt). */
const FOLDED_TO_ASCII: Readonly<Record<string, number | undefined>> = { k: 0x212a, s: 0x17f };

/** Returns null for anything but an ASCII letter: only re2js knows its other cases. */
function foldedRanges(rune: number): number[] | null {
  const letter = String.fromCodePoint(rune).toLowerCase();
  if (!/^[a-z]$/.test(letter) || rune > 0x7f) return null;
  const cases = [letter.charCodeAt(0) - 0x20, letter.charCodeAt(0)];
  const beyond = FOLDED_TO_ASCII[letter];
  if (beyond !== undefined) cases.push(beyond);
  return cases.flatMap((each) => [each, each]);
}
