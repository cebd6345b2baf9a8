import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';
import { expectNoLeak, PATIENCE_MS } from './expect-told.ts';
import { postOf } from './graphql-requests.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

/** Repeats a text as often as fits into a body, less `around` characters. */
const often = (text: (i: number) => string, around = 1000): string => {
  const count = Math.floor((LIMITS.graphqlBodyBytes - around) / (text(10_000).length + 1));
  return Array.from({ length: count }, (_, i) => text(i)).join(' ');
};

const levels = (open: string, close: string, count: number): string =>
  open.repeat(count) + close.repeat(count);

/** Documents of kinds that have crashed servers, up to the size limit of a body. */
const HUGE: Readonly<Record<string, string>> = {
  'thousands of aliases': `{ ${often((i) => `a${i}: __typename`)} }`,
  'thousands of the same field': `{ ${often(() => '__typename')} }`,
  'thousands of aliases of what needs credentials': `{ ${often((i) => `a${i}: contexts { name }`)} }`,
  'selections nested 40,000 deep': levels('{a', '}', 40_000),
  ...Object.fromEntries(
    [100, 1000, 2000, 4000, 8000, 16_000, 24_000].map((count) => [
      `inline fragments nested ${count} deep`,
      `{ ${'... { '.repeat(count)} __typename ${'} '.repeat(count)} }`,
    ]),
  ),
  'lists nested 60,000 deep': `{ nodes(ids: ${levels('[', ']', 60_000)}) { id } }`,
  'objects nested 20,000 deep': `{ node(id: ${levels('{a:', '}', 20_000)}) { id } }`,
  'a type of 60,000 lists': `query ($v: ${levels('[', ']', 60_000)}) { __typename }`,
  'thousands of directives': `{ __typename ${often(() => '@skip(if: false)')} }`,
  'thousands of unknown directives': `{ __typename ${often((i) => `@d${i}`)} }`,
  'thousands of variables': `query (${often((i) => `$v${i}: Int`)}) { __typename }`,
  'thousands of arguments': `{ node(${often((i) => `a${i}: 1`)}) { id } }`,
  'thousands of fragments': `{ ...F0 } ${often((i) => `fragment F${i} on Query { ...F${i + 1} }`)}`,
  'fragments within each other': `{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
  'fragments that double': `{ ...F0 } ${Array.from(
    { length: 40 },
    (_, i) => `fragment F${i} on Query { a${i}: __typename ...F${i + 1} ...F${i + 1} }`,
  ).join(' ')} fragment F40 on Query { __typename }`,
  'thousands of operations': often((i) => `query Q${i} { __typename }`),
  'a name of 250,000 letters': `{ ${'a'.repeat(250_000)} }`,
  'a comment of 250,000 letters': `{ __typename } #${'a'.repeat(250_000)}`,
  'a text of 250,000 letters': `{ node(id: "${'a'.repeat(250_000)}") { id } }`,
  '250,000 commas': `{ __typename ${','.repeat(250_000)} }`,
  'a number of 250,000 digits': `{ context(name: ${'9'.repeat(250_000)}) { id } }`,
  'introspection within itself': `{ __schema { types ${levels('{ fields { type ', '} }', 100)} } }`,
  'thousands of introspections': `{ ${often((i) => `a${i}: __schema { types { name } }`, 240_000)} }`,
};

describe('a GraphQL document', { timeout: 2 * PATIENCE_MS }, () => {
  it.each(Object.entries(HUGE))('of %s is answered or refused', async (_, query) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const { status, text } = await service.call('/graphql', { ...postOf({ query }), signal });
    const { errors = [] } = JSON.parse(text) as { errors?: { message: string }[] };
    expect([200, 400, 401, 413]).toContain(status);
    expect(errors.map(({ message }) => message)).not.toContain(ERRORS.internal.message);
    expectNoLeak(text.slice(0, 100_000));
    expect((await service.call('/healthz')).status).toBe(200);
  });

  it('in a body that is too large is refused', async () => {
    const query = `{ ${'__typename '.repeat(LIMITS.graphqlBodyBytes / 10)} }`;
    const { status, text } = await service.call('/graphql', postOf({ query }));
    expect(status).toBe(413);
    expectNoLeak(text);
  });
});
