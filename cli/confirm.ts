import { createInterface } from 'node:readline/promises';
import { shellWord } from '../domain/text/shell-word.ts';
import { UsageError } from './usage-error.ts';

/**
 * Has the user confirm a permanent deletion with a word, typed at a terminal or given with
 * `--confirm`. Throws if the word is missing or wrong.
 */
export async function confirm(
  what: string,
  { word, given, signal }: { word: string; given: string | undefined; signal: AbortSignal },
): Promise<void> {
  if (given === undefined && !process.stdin.isTTY) {
    throw new UsageError(`${what} needs a word of confirmation: give --confirm ${shellWord(word)}`);
  }
  const said = given ?? (await ask(`${what}. Type ${shellWord(word)} to confirm: `, signal));
  if (said === word) return;
  const got = said === '' ? 'nothing' : JSON.stringify(said);
  throw new UsageError(`nothing was dropped: the word is ${shellWord(word)}, got ${got}`);
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await asking.question(question, { signal })).trim();
  } finally {
    asking.close();
  }
}
