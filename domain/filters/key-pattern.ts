import { RE2JS, RE2JSSyntaxException } from 're2js';
import { malformed, ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { runWhole, type Sliced } from '../sliced.ts';
import { type PatternFault, parseError, patternFault } from './pattern-fault.ts';

/**
 * What is known about a pattern once it was compiled: how many instructions it has, or why it
 * cannot be used.
 */
export type PatternFacts =
  | { readonly instructions: number }
  | { readonly fault: 'tooBig' | PatternFault };

export type CompiledPattern = RE2JS;

/**
 * Compiles a test that finds an RE2 pattern anywhere in a raw key (decision 26). Throws
 * `malformedValue`, with the parameter's name, for a pattern that does not compile or is too big.
 */
export function compileKeyPattern(pattern: string, name: string): (key: string) => boolean {
  const compiled = runWhole(compileInSlices(pattern, name));
  return (key) => compiled.test(key);
}

/** Compiles a pattern, which may take seconds. Errors: those of compileKeyPattern. */
export function* compileInSlices(pattern: string, name: string): Sliced<CompiledPattern> {
  requireShort(pattern, name);
  const compiled = yield* compile(pattern);
  if (compiled instanceof RE2JS) return compiled;
  throw patternError(pattern, name, compiled);
}

/** Compiles a pattern of at most the permitted length, and forgets the program. */
export function* patternFacts(pattern: string): Sliced<PatternFacts> {
  const compiled = yield* compile(pattern);
  if (!(compiled instanceof RE2JS)) return { fault: compiled };
  return { instructions: compiled.programSize() };
}

/** Errors: `malformedValue`: the pattern is too long. */
export function requireShort(pattern: string, name: string): void {
  if (pattern.length <= LIMITS.patternLength) return;
  throw malformed(name, `a pattern of at most ${LIMITS.patternLength} characters`, pattern);
}

/** Returns the error for a pattern that cannot be used. */
export function patternError(
  pattern: string,
  name: string,
  fault: 'tooBig' | PatternFault,
): ServiceError {
  if (fault === 'tooBig') {
    return malformed(name, 'a pattern with fewer or smaller counted repetitions', pattern);
  }
  const { message } = malformed(name, 'an RE2 pattern', pattern);
  const { reason, position } = fault;
  return new ServiceError('malformedValue', `${message}: ${reason} at position ${position}`);
}

function* compile(pattern: string): Sliced<CompiledPattern | 'tooBig' | PatternFault> {
  if (yield* isTooBig(pattern)) return 'tooBig';
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return yield* patternFault(pattern, error);
  }
}

/** RE2's own limit on the instructions of a program, checked while a pattern is parsed. */
const RE2_INSTRUCTIONS = 1_398_101;
const REPEATS = Math.floor(RE2_INSTRUCTIONS / LIMITS.patternInstructions);

/**
 * Whether the pattern compiles to more instructions than we allow. A few counted repetitions can
 * keep RE2 compiling for a second before it knows the size. Its parser compiles nothing, and it
 * enforces our limit if the pattern is repeated so often that our limit becomes RE2's own.
 */
function* isTooBig(pattern: string): Sliced<boolean> {
  const isTooLarge = (part: string) =>
    parseError(`(?:${part}){${REPEATS}}`)?.error === 'expression too large';
  if (isTooLarge(pattern)) return true;
  yield;
  if (!pattern.includes('\\Q')) return false;
  // A quotation that the pattern leaves open would quote the repetition too: also try it closed.
  const isLarge = isTooLarge(`${pattern}\\E`);
  yield;
  return isLarge;
}
