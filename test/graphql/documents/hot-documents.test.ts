import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parse } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import type { RequestScope } from '../../../resolvers/request-scope.ts';
import { CompiledQueries } from '../../../schema/compiled/compiled-queries.ts';
import { schema } from '../../../schema/schema.ts';
import { Documents, parsedDocuments } from '../../../server/graphql/documents.ts';
import { unlimited } from '../../support/graphql/unlimited.ts';
import { post } from '../../support/http/rest-parameters.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

const TRUSTED = 'query Trusted { viewer { username } }';

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)], documents: new Map([['trusted', TRUSTED]]) });
});

afterAll(() => lab.close());

/** The path that answered a request, by its counter. */
async function wayOf(query: string): Promise<string | undefined> {
  const counts = async () => {
    const { text } = await lab.call('/metrics');
    const lines = text.matchAll(/^countergraph_graphql_requests_total\{way="(\w+)"\} (\d+)$/gm);
    return new Map([...lines].map(([, way = '', count]) => [way, Number(count)]));
  };
  const before = await counts();
  const sent = post('application/json', JSON.stringify({ query }));
  const answer = await lab.call('/graphql', {
    ...sent,
    headers: { ...sent.headers, ...basic(ADA) },
  });
  expect([answer.status, JSON.parse(answer.text).errors]).toEqual([200, undefined]);
  const after = await counts();
  return [...after].find(([way, count]) => count > (before.get(way) ?? 0))?.[0];
}

it('a document takes the fast path once it has been requested `compileAfter` times', async () => {
  const ways = [];
  for (let i = 0; i < LIMITS.compileAfter + 2; i += 1) {
    ways.push(await wayOf('query Asked { viewer { username } }'));
  }
  expect(ways).toEqual([...Array(LIMITS.compileAfter).fill('yoga'), 'hot', 'hot']);
});

it('a trusted document takes the fast path from the start', async () => {
  expect(await wayOf(TRUSTED)).toBe('hot');
});

const padded = (name: string): string =>
  `query ${name} { viewer { username } } #${'x'.repeat(LIMITS.compiledDocumentCharacters / 8)}`;

it('compiled documents are bounded by their total length: the most recent ones are kept', () => {
  const compiled = new CompiledQueries(schema, 1);
  const names = Array.from({ length: 20 }, (_, i) => `Q${i}`);
  for (const name of names) {
    const text = padded(name);
    compiled.note({ text, document: parse(text), operationName: null });
  }
  const kept = names.filter((name) => compiled.find(padded(name), null) !== null);
  expect(kept).toEqual(names.slice(-7));
});

it('parsed documents are bounded by their total length too', () => {
  const { documentCache } = parsedDocuments();
  const texts = Array.from(
    { length: 20 },
    (_, i) => `{ __typename } # ${i} ${'x'.repeat(LIMITS.parsedDocumentCharacters / 8)}`,
  );
  for (const text of texts) documentCache.set(text, parse(text));
  expect(texts.map((text) => documentCache.get(text) !== undefined)).toEqual(
    texts.map((_, i) => i >= 13),
  );
});

it('registered documents are bounded by their total length too', () => {
  const documents = new Documents(new Map(), { trustedOnly: false });
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const texts = Array.from(
    { length: 20 },
    (_, i) => `# ${i} ${'x'.repeat(LIMITS.persistedDocumentCharacters / 8)}`,
  );
  for (const text of texts) documents.register({ documentId: hashOf(text) }, text);
  const isKept = (text: string): boolean => {
    try {
      return documents.textOf({ documentId: hashOf(text) }) === text;
    } catch {
      return false;
    }
  };
  expect(texts.map(isKept)).toEqual(texts.map((_, i) => i >= 13));
});

it('a document that is too large once its fragments are expanded is not compiled', () => {
  const isCompiled = (depth: number): boolean => {
    const fragments = Array.from({ length: depth }, (_, i) => {
      const below = i + 1 < depth ? `...F${i + 1}` : 'username';
      return `fragment F${i} on Viewer { ${below} ... on Viewer { ${below} } }`;
    });
    const text = `{ viewer { ...F0 } } ${fragments.join(' ')}`;
    const asked = { text, document: parse(text), operationName: null };
    return new CompiledQueries(schema, 1).note(asked) !== null;
  };
  expect([5, 30].map(isCompiled)).toEqual([true, false]);
});

it('a compiled document does not retain the variables of a request', async () => {
  const text = `query ($deep: Boolean!, $name: String!) {
    context(name: $name) @include(if: $deep) { name } viewer { username } }`;
  const query = new CompiledQueries(schema, 1).note({
    text,
    document: parse(text),
    operationName: null,
  });
  const nobody = () => ({ identity: null }) as RequestScope;
  const runOnce = async (): Promise<WeakRef<object>> => {
    const variables = { deep: true, name: 'x'.repeat(1000) };
    await query?.run({ scope: nobody(), variables, progress: unlimited() });
    return new WeakRef(variables);
  };
  const asked = await runOnce();
  await expect
    .poll(() => {
      collectGarbage();
      return asked.deref() === undefined;
    })
    .toBe(true);
  const variables = { deep: false, name: 'x' };
  expect(
    (await query?.run({ scope: nobody(), variables, progress: unlimited() }))?.errors,
  ).toHaveLength(1);
});

/** A full, synchronous collection. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
