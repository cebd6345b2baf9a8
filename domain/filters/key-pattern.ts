import { RE2JS, RE2JSSyntaxException } from 're2js';
import { malformed, ServiceError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { parseError, patternFault } from './pattern-fault.ts';

/**
 * Compiles a test that finds an RE2 pattern anywhere in a raw key (decision 26). Throws
 * `malformedValue`, with the parameter's name, for a pattern that does not compile or is too big.
 */
export function compileKeyPattern(pattern: string, name: string): (key: string) => boolean {
  if (pattern.length > LIMITS.patternLength) {
    throw malformed(name, `a pattern of at most ${LIMITS.patternLength} characters`, pattern);
  }
  if (isTooBig(pattern)) {
    throw malformed(name, 'a pattern with fewer or smaller counted repetitions', pattern);
  }
  const compiled = compile(pattern, name);
  return (key) => compiled.test(key);
}

function compile(pattern: string, name: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    const { message } = malformed(name, 'an RE2 pattern', pattern);
    const { reason, position } = patternFault(pattern, error);
    throw new ServiceError('malformedValue', `${message}: ${reason} at position ${position}`, {
      cause: error,
    });
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
function isTooBig(pattern: string): boolean {
  const isTooLarge = (part: string) =>
    parseError(`(?:${part}){${REPEATS}}`)?.error === 'expression too large';
  // A quotation that the pattern leaves open would quote the repetition too: also try it closed.
  return isTooLarge(pattern) || (pattern.includes('\\Q') && isTooLarge(`${pattern}\\E`));
}
