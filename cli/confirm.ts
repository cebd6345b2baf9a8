import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/**
 * Has somebody say that something is to be gone for good, by a word: typed at a terminal, or given
 * with `--confirm`. Errors: it is missing, or another one.
 */
export async function confirm(
  what: string,
  { word, given, signal }: { word: string; given: string | undefined; signal: AbortSignal },
): Promise<void> {
  if (given === undefined && !process.stdin.isTTY) {
    throw new UsageError(`${what} needs a word of confirmation: give --confirm ${shown(word)}`);
  }
  const said = given ?? (await ask(`${what}. Type ${shown(word)} to confirm: `, signal));
  if (said === word) return;
  const got = said === '' ? 'nothing' : JSON.stringify(said);
  throw new UsageError(`nothing was dropped: the word is ${shown(word)}, got ${got}`);
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(question, { signal })).trim();
  } finally {
    asking.close();
  }
}

/** As a shell takes it. */
const shown = (word: string): string =>
  /^[\w.,:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
