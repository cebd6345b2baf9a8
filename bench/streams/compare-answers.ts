import { createGraphClient } from '../systems/graph-client.ts';
import { QUESTIONS } from './stream-questions.ts';

type Streamed = { readonly data?: { readonly it?: unknown } };

/**
 * Asks each question as a query. Returns the number of questions whose last streamed answer differs
 * from the query's, or between streams.
 */
export async function compareAnswers(
  url: string,
  answers: readonly (readonly string[])[],
): Promise<number> {
  const client = createGraphClient(url);
  let differences = 0;
  for (const [i, { query, variables }] of QUESTIONS.entries()) {
    const asked = await client.ask<unknown>(query, variables);
    const texts = answers[i] ?? [];
    const streamed: Streamed = JSON.parse(texts[0] ?? '{}');
    const isSame = JSON.stringify(innermost(asked)) === JSON.stringify(streamed.data?.it);
    if (texts.length !== 1 || !isSame) differences += 1;
  }
  client.close();
  return differences;
}

/** Returns the value of `it` at any depth. */
function innermost(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return undefined;
  if ('it' in answer) return answer.it;
  return innermost(Object.values(answer)[0]);
}
