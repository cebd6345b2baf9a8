import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../domain/is-object.ts';
import { parseExactly } from '../support/http/answers.ts';
import type { RestParameters } from '../support/http/rest-parameters.ts';
import { basic, type EndpointName, type TestService } from '../support/lab/service.ts';
import { readStored } from './stored-database.ts';

type GraphQLQuestion = {
  readonly user: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

type RestQuestion = {
  readonly user: string;
  readonly endpoint: EndpointName;
  readonly parameters: RestParameters;
};

type Question = GraphQLQuestion | RestQuestion;

/** answer: JSON with exact integers, or the text of a table. */
export type StoredAnswer = {
  readonly question: Question;
  readonly status: number;
  readonly answer: unknown;
};

export type Difference = { readonly then: StoredAnswer; readonly now: StoredAnswer };

/** Reads the answers in a file of a fixture, one per line. */
export async function readAnswers(fixture: string, file: string): Promise<StoredAnswer[]> {
  const text = await readStored(fixture, file);
  // Each line was written in this form.
  return text
    .trimEnd()
    .split('\n')
    .map((line) => parseExactly(line) as StoredAnswer);
}

/** Returns `answers`, each replaced by that of `others` to the same question, if any. */
export function replaceAnswers(
  answers: readonly StoredAnswer[],
  others: readonly StoredAnswer[],
): StoredAnswer[] {
  const replaced = new Map(others.map((each) => [JSON.stringify(each.question), each]));
  const all = answers.map((each) => {
    const key = JSON.stringify(each.question);
    const other = replaced.get(key);
    replaced.delete(key);
    return other ?? each;
  });
  if (replaced.size === 0) return all;
  throw new Error(`There is another answer to a question that was not asked: ${[...replaced][0]}`);
}

/** Asks all questions one by one, and returns the answers that differ from the stored ones. */
export async function findDifferences(
  service: TestService,
  answers: readonly StoredAnswer[],
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const stored of answers) {
    const now = await ask(service, stored.question);
    const then = { ...stored, answer: withoutAbsent(stored.answer, now.answer) };
    if (!isDeepStrictEqual(now, then)) differences.push({ then, now });
  }
  return differences;
}

async function ask(service: TestService, question: Question): Promise<StoredAnswer> {
  const credentials = { username: question.user, token: `${question.user}-token` };
  if ('query' in question) {
    const { query, variables } = question;
    const { status, text } = await service.graphql(query, variables, basic(credentials));
    return { question, status, answer: parseExactly(text) };
  }
  const { username, token } = credentials;
  const path = service.path(question.endpoint);
  const parameters = { ...textsOf(question.parameters), username, api_token: token };
  const { status, headers, text } = await service.call(
    `${path}?${new URLSearchParams(parameters)}`,
  );
  const isJson = headers['content-type']?.startsWith('application/json');
  return { question, status, answer: isJson ? withoutPaths(parseExactly(text)) : text };
}

const textsOf = (parameters: RestParameters): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)]));

/** Removes the paths of slices: they depend on the machine, and were not stored either. */
function withoutPaths(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body['slices'])) return body;
  const slices = body['slices'].map((slice: unknown) => {
    if (!isObject(slice)) return slice;
    const { path: _, ...rest } = slice;
    return rest;
  });
  return { ...body, slices };
}

/** Values of an earlier window: since 2.4.0 null, and before that zero, where nothing is stored of it. */
const OF_EARLIER = ['metric', 'rank', 'change', 'changeRatio'] as const;

/** Returns an answer as it was, but for values that are null by now because nothing is stored. */
function withoutAbsent(then: unknown, now: unknown): unknown {
  if (Array.isArray(then) && Array.isArray(now)) {
    return then.map((each, i) => withoutAbsent(each, now[i]));
  }
  if (!isObject(then) || !isObject(now)) return then;
  return Object.fromEntries(
    Object.entries(then).map(([name, value]) => {
      const other = now[name];
      const isAbsent =
        name === 'previous' &&
        isObject(value) &&
        isObject(other) &&
        String(value['metric']) === '0' &&
        other['metric'] === null;
      return [name, isAbsent ? withNulls(value) : withoutAbsent(value, other)];
    }),
  );
}

const withNulls = (previous: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(previous).map(([name, value]) => [
      name,
      OF_EARLIER.some((each) => each === name) ? null : value,
    ]),
  );
