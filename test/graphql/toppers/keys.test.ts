import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

const [MANY, HOSTS, EMPTY, PORTS] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];
const PAIRS = guidOf(5);

/** Some of these sort differently in UTF-16 than in bytes. */
const SPECIAL = ['Ärger', 'ärgern', 'ЖУК', 'жук', '\uFB01', '\u{1F600}', 'a%b', 'a_b', 'x\\y', ' '];

const ALL = [...SPECIAL, ...Array.from({ length: 90 }, (_, i) => `k${i * 7919}`)].sort((a, b) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b)),
);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1),
      group(2, { key_kind: 'ip' }),
      group(3),
      group(4, { key_kind: 'port' }),
      group(5, { key_kind: 'crosskey', crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS } }),
    ],
    lines: [
      ...ALL.map((key) => ({ group: MANY, key, ts: T0, values: { 0: 0 } })),
      {
        group: HOSTS,
        key: '0A.00.00.01',
        ts: T0,
        values: { 0: 1 },
        label: 'Prïnter',
        description: 'hall',
        attributes: { site: 'B' },
      },
      { group: HOSTS, key: '0A.00.00.02', ts: T0, values: { 0: 1 } },
      { group: PAIRS, key: '0A.00.00.01\\0A.00.00.03', ts: T0, values: { 0: 0 } },
      { group: PAIRS, key: '0A.00.00.02\\0A.00.00.01', ts: T0 + 60, values: { 0: 1 } },
      { group: PAIRS, key: '0A.00.00.02\\0A.00.00.03', ts: T0 + 61, values: { 0: 1 } },
      ...['00.50', '01.BB', '1F.90'].map((key) => ({
        group: PORTS,
        key,
        ts: T0,
        values: { 0: 1 },
      })),
    ],
  });
});

afterAll(() => lab.close());

type Page = {
  edges: { cursor: string; node: { key: string } }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
};

const DOCUMENT = `query ($guid: Guid!, $search: String, $first: Int = 50, $after: String) {
  context(name: "lab") { counterGroup(guid: $guid) {
    keys(search: $search, first: $first, after: $after) {
      edges { cursor node { key } } totalCount
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } } }`;

async function page(args: Readonly<Record<string, unknown>>): Promise<Page> {
  const { context } = await lab.data<{ context: { counterGroup: { keys: Page } } }>(DOCUMENT, {
    guid: MANY,
    ...args,
  });
  return context.counterGroup.keys;
}

const keysOf = ({ edges }: Page): string[] => edges.map(({ node }) => node.key);

describe('a key', () => {
  const FIELDS = `key readable label description attributes { name value } counterGroup { guid }`;

  it('has everything that is known about it', async () => {
    const answer = await lab.data(
      `query ($half: String!) { context(name: "lab") { counterGroup(guid: "${HOSTS}") {
        known: key(key: "0A.00.00.01") { ${FIELDS} } bare: key(key: "0A.00.00.02") { ${FIELDS} }
        none: key(key: "0A.00.00.03") { key } odd: key(key: "nonsense") { key }
        empty: key(key: "") { key } nul: key(key: "\\u0000") { key }
        half: key(key: $half) { key } } } }`,
      { half: '\ud800' },
    );
    const counterGroup = { guid: HOSTS };
    expect(answer).toEqual({
      context: {
        counterGroup: {
          known: {
            key: '0A.00.00.01',
            readable: '10.0.0.1',
            label: 'Prïnter',
            counterGroup,
            description: 'hall',
            attributes: [{ name: 'site', value: 'B' }],
          },
          bare: {
            key: '0A.00.00.02',
            readable: '10.0.0.2',
            label: '10.0.0.2',
            counterGroup,
            description: null,
            attributes: [],
          },
          none: null,
          odd: null,
          empty: null,
          nul: null,
          half: null,
        },
      },
    });
  });
});

describe('the keys of a group', () => {
  it('come 50 to a page by default, in byte order', async () => {
    const first = await page({});
    expect(keysOf(first)).toEqual(ALL.slice(0, 50));
    expect(first).toMatchObject({
      totalCount: ALL.length,
      pageInfo: {
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: first.edges[0]?.cursor,
        endCursor: first.edges[49]?.cursor,
      },
    });
    const second = await page({ after: first.pageInfo.endCursor });
    expect(keysOf(second)).toEqual(ALL.slice(50));
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('come 50 to a page where first is null: as a literal, in a variable or left out', async () => {
    const fifty = ALL.slice(0, 50);
    expect(keysOf(await page({ first: null }))).toEqual(fifty);
    const ways = `query ($given: Int, $absent: Int, $one: Int = 1) { context(name: "lab") {
      counterGroup(guid: "${MANY}") {
        plain: keys { ...Page } written: keys(first: null) { ...Page }
        given: keys(first: $given) { ...Page } absent: keys(first: $absent) { ...Page }
        one: keys(first: $one) { ...Page } } } }
      fragment Page on KeyConnection { edges { node { key } } }`;
    // From the fourth request on, the document is compiled.
    for (let time = 0; time < 6; time += 1) {
      const { context } = await lab.data<{ context: { counterGroup: Record<string, Page> } }>(
        ways,
        { given: null },
      );
      const { one, ...fifties } = context.counterGroup;
      for (const each of Object.values(fifties)) expect(keysOf(each)).toEqual(fifty);
      expect(one && keysOf(one)).toEqual(fifty.slice(0, 1));
    }
  });

  it('cover every key exactly once and in order, at any page size and for any search', async () => {
    const searches = fc.constantFrom(undefined, '', 'k', '7', 'ж', 'nothing', 'k1');
    const covers = fc.asyncProperty(
      ...([fc.integer({ min: 3, max: 120 }), searches] as const),
      async (first, search) => {
        const expected = keysOf(await page({ first: 1000, search }));
        const found: string[] = [];
        let after: string | null = null;
        do {
          const next: Page = await page({ first, search, after });
          expect(next.totalCount).toBe(expected.length);
          expect(next.edges.length).toBeLessThanOrEqual(first);
          found.push(...keysOf(next));
          after = next.pageInfo.hasNextPage ? next.pageInfo.endCursor : null;
          if (next.pageInfo.hasNextPage) expect(next.edges).toHaveLength(first);
        } while (after !== null);
        expect(found).toEqual(expected);
      },
    );
    await fc.assert(covers, {
      numRuns: Math.ceil(FUZZ_CASES / 10),
      examples: [
        [1, 'k1'],
        [100, undefined],
        [99, ''],
      ],
    });
    expect(keysOf(await page({ first: 1000 }))).toEqual(ALL);
  });

  it('can be fetched after any cursor', async () => {
    const { edges } = await page({ first: 1000 });
    for (const i of [0, 1, 49, 98, 99]) {
      const behind = await page({ first: 2, after: edges[i]?.cursor });
      expect(keysOf(behind)).toEqual(ALL.slice(i + 1, i + 3));
      expect(behind.pageInfo.hasPreviousPage).toBe(true);
    }
  });

  it('of a group without any are an empty page', async () => {
    expect(await page({ guid: EMPTY })).toEqual({
      edges: [],
      totalCount: 0,
      pageInfo: {
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: null,
        endCursor: null,
      },
    });
  });
});

describe('a search among keys', () => {
  const found = async (search: string, guid = MANY) =>
    keysOf(await page({ guid, search, first: 1000 }));

  it('ignores case, beyond ASCII too', async () => {
    expect(await found('ÄRGER')).toEqual(['Ärger', 'ärgern']);
    expect(await found('ärgeR')).toEqual(['Ärger', 'ärgern']);
    expect(await found('Жук')).toEqual(['ЖУК', 'жук']);
  });

  it('takes every character literally', async () => {
    expect(await found('%')).toEqual(['a%b']);
    expect(await found('_')).toEqual(['a_b']);
    expect(await found('\\')).toEqual(['x\\y']);
    expect(await found('\u{1F600}')).toEqual(['\u{1F600}']);
    expect(await found("'; drop table keys --")).toEqual([]);
  });

  it('looks at the label and at the readable form', async () => {
    expect(await found('prÏNT', HOSTS)).toEqual(['0A.00.00.01']);
    expect(await found('10.0.0', HOSTS)).toEqual(['0A.00.00.01', '0A.00.00.02']);
    expect(await found('10.0.0.2', HOSTS)).toEqual(['0A.00.00.02']);
    // A default label is a label too.
    expect(await found('HTTP', PORTS)).toEqual(expect.arrayContaining(['00.50', '01.BB']));
    expect(await found('8080', PORTS)).toEqual(['1F.90']);
  });

  it('with an empty text finds everything', async () => {
    expect(await found('')).toEqual(ALL);
  });
});

describe('keys by pattern, network and window', () => {
  const FILTERED = `query ($guid: Guid!, $match: String, $search: String, $cidr: [String!],
      $window: WindowInput, $first: Int = 1000) {
    context(name: "lab") { counterGroup(guid: $guid) {
      keys(match: $match, search: $search, cidr: $cidr, window: $window, first: $first) {
        edges { node { key } } totalCount } } } }`;

  async function found(args: Readonly<Record<string, unknown>>): Promise<string[]> {
    const { context } = await lab.data<{ context: { counterGroup: { keys: Page } } }>(FILTERED, {
      guid: MANY,
      ...args,
    });
    const { keys } = context.counterGroup;
    expect(keys.totalCount).toBe(keys.edges.length);
    return keysOf(keys);
  }

  it('are those whose raw form matches the pattern', async () => {
    const raw = (pattern: RegExp) => ALL.filter((key) => pattern.test(key));
    expect(await found({ match: '^k1' })).toEqual(raw(/^k1/));
    expect(await found({ match: '[РЖ]|9$' })).toEqual(raw(/[РЖ]|9$/));
    expect(await found({ match: '' })).toEqual(ALL);
    expect(await found({ guid: HOSTS, match: '^0A.*2$' })).toEqual(['0A.00.00.02']);
    expect(await found({ guid: HOSTS, match: '10' })).toEqual([]);
    expect(await found({ match: '^k', search: '791' })).toEqual(raw(/^k.*791/));
  });

  it('are those in one of the networks; any part of a cross-key may match', async () => {
    const all = ['0A.00.00.01', '0A.00.00.02'];
    expect(await found({ guid: HOSTS, cidr: ['10.0.0.2', '192.168.0.0/16'] })).toEqual([all[1]]);
    expect(await found({ guid: HOSTS, cidr: ['10.0.0.9/24'] })).toEqual(all);
    expect(await found({ guid: HOSTS, cidr: ['::/0'] })).toEqual([]);
    expect(await found({ guid: HOSTS, cidr: [] })).toEqual(all);
    expect(await found({ guid: PAIRS, cidr: ['10.0.0.1/32'] })).toEqual([
      '0A.00.00.01\\0A.00.00.03',
      '0A.00.00.02\\0A.00.00.01',
    ]);
    expect(await found({ guid: PAIRS, cidr: ['10.0.0.1'], match: '03$' })).toEqual([
      '0A.00.00.01\\0A.00.00.03',
    ]);
  });

  it('are those with a reading in the window, even one of zero; its end is exclusive', async () => {
    const window = (from: number, to: number) => ({
      window: { interval: { from: T0 + from, to: T0 + to } },
    });
    expect(await found(window(0, 1))).toEqual(ALL);
    expect(await found(window(60, 3600))).toEqual([]);
    expect(await found({ guid: HOSTS, ...window(0, 60) })).toEqual(['0A.00.00.01', '0A.00.00.02']);
    expect(await found({ guid: PAIRS, ...window(0, 60) })).toEqual(['0A.00.00.01\\0A.00.00.03']);
    expect(await found({ guid: PAIRS, ...window(60, 120) })).toEqual([
      '0A.00.00.02\\0A.00.00.01',
      '0A.00.00.02\\0A.00.00.03',
    ]);
    expect(await found({ guid: PAIRS, window: { recentSeconds: 60 } })).toHaveLength(2);
    expect(await found({ guid: PAIRS, window: { preset: 'ALL_AVAILABLE' } })).toHaveLength(3);
    expect(await found({ guid: EMPTY, window: { preset: 'ALL_AVAILABLE' } })).toEqual([]);
  });

  it.each([
    [{ match: '(' }, /^match must be /],
    [{ cidr: ['10.0.0.0/8'] }, /^cidr must be /],
    [{ guid: HOSTS, cidr: ['nonsense'] }, /^cidr must be .*, got "nonsense"$/],
    [{ window: { interval: { from: 5, to: 5 } } }, /^Invalid time window - /],
    [{ window: { recentSeconds: 0 } }, /^Invalid time window - /],
    [{ window: { dates: { from: 'x', to: 'y' } } }, /^Invalid time window - /],
  ])('with an invalid argument are BAD_USER_INPUT: %j', async (args, message) => {
    const { data, errors } = await lab.graphql(FILTERED, { guid: MANY, ...args });
    expect(data).toEqual({ context: { counterGroup: { keys: null } } });
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(message),
        path: ['context', 'counterGroup', 'keys'],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  });
});

describe('a page of no keys', () => {
  const empty = (hasNextPage: boolean, hasPreviousPage: boolean) => ({
    edges: [],
    pageInfo: { hasNextPage, hasPreviousPage, startCursor: null, endCursor: null },
  });

  it('says whether there are any, and how many', async () => {
    const totalCount = ALL.length;
    expect(await page({ first: 0 })).toEqual({ ...empty(true, false), totalCount });
    expect(await page({ first: 0, guid: EMPTY })).toEqual({
      ...empty(false, false),
      totalCount: 0,
    });
    expect(await page({ first: 0, search: 'k0' })).toMatchObject(empty(true, false));
    expect(await page({ first: 0, search: 'nowhere' })).toMatchObject(empty(false, false));
  });

  it('says whether there are more after a cursor', async () => {
    const { edges } = await page({ first: 1000 });
    const beyond = (index: number) => page({ first: 0, after: edges.at(index)?.cursor });
    expect(await beyond(0)).toMatchObject(empty(true, true));
    expect(await beyond(-2)).toMatchObject(empty(true, true));
    expect(await beyond(-1)).toMatchObject(empty(false, true));
  });

  it('may have a window', async () => {
    const hasNext = async (from: number) => {
      const { context } = await lab.data<{ context: { counterGroup: { keys: Page } } }>(
        `{ context(name: "lab") { counterGroup(guid: "${PAIRS}") {
          keys(first: 0, window: { startingAt: { from: ${from}, seconds: 60 } }) {
            edges { cursor } pageInfo { hasNextPage } } } } }`,
      );
      expect(context.counterGroup.keys.edges).toEqual([]);
      return context.counterGroup.keys.pageInfo.hasNextPage;
    };
    expect([await hasNext(T0), await hasNext(T0 + 3600)]).toEqual([true, false]);
  });
});

describe('an invalid page', () => {
  it.each([
    ['a negative number of keys', { first: -1 }],
    ['more keys than a page may have', { first: 1001 }],
    ['a broken cursor', { after: 'nonsense' }],
    ['an empty cursor', { after: '' }],
    ['a cursor that is not Base64', { after: '!!!!' }],
    ['a NUL as the cursor', { after: '\0' }],
  ])('is BAD_USER_INPUT on its field: %s', async (_, args) => {
    const { data, errors } = await lab.graphql(DOCUMENT, { guid: MANY, ...args });
    expect(data).toEqual({ context: { counterGroup: { keys: null } } });
    expect(errors).toMatchObject([
      { path: ['context', 'counterGroup', 'keys'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});
