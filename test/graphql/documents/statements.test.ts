import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../server/settings/settings.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const GROUP_COUNT = 20;
const METERS = [2, 4, 5, 11, 12];
const CROSS = guidOf(50);

const GUIDS = Array.from({ length: GROUP_COUNT }, (_, i) => guidOf(i + 1));

let lab: TestService;

beforeAll(async () => {
  const declared = METERS.map((type) => meter(type, type));
  const values = Object.fromEntries(METERS.map((type, i) => [type, i + 1]));
  const lines: Line[] = GUIDS.flatMap((guid) =>
    Array.from({ length: 15 }, (_, i) => ({
      group: guid,
      key: `k${i}`,
      ts: T0 + i * 100,
      values,
      ...(i % 2 === 0 && { label: `label ${i}`, attributes: { n: `${i}` } }),
    })),
  );
  lab = await startLab({
    // A hundred toppers and twice as many aliases in one document, to count their statements.
    settings: { graphql: { ...readSettings({}).graphql, tokens: 20_000, aliases: 1_000 } },
    groups: [
      ...GUIDS.map((_, i) => group(i + 1, { meters: declared })),
      group(50, {
        key_kind: 'crosskey',
        meters: declared,
        crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
      }),
    ],
    lines: [
      ...lines,
      ...lines.slice(0, 15).map((line) => ({ ...line, ts: line.ts + DAY })),
      ...lines.slice(0, 15).map((line) => ({ ...line, group: CROSS, key: `${line.key}\\x` })),
    ],
  });
});

afterAll(() => lab.close());

/**
 * The number of statements that a document costs a server with empty caches, including those that
 * begin and end a snapshot.
 */
async function cost(document: string, variables = {}): Promise<number> {
  lab.emptyCaches();
  const statements = lab.watchStatements();
  await lab.data(document, variables);
  return statements().length;
}

const WINDOW = `window: { interval: { from: ${T0}, to: ${T0 + 3600} } }`;

const inGroups = (guids: readonly string[], selection: (guid: string) => string): string => {
  const fields = guids.map(
    (guid, i) => `g${i}: counterGroup(guid: "${guid}") { ${selection(guid)} }`,
  );
  return `{ context(name: "lab") { ${fields.join('\n')} } }`;
};

const inContext = (selection: string): string => `{ context(name: "lab") { ${selection} } }`;

const toppers = (meters: readonly number[], selection: string): string =>
  meters
    .map((id) => `t${id}: topper(meter: ${id}, maxItems: 10, ${WINDOW}) { ${selection} }`)
    .join('\n');

const KEYS = `total others keys { key label description metric attributes { name value }
  percentiles(ranks: [50, 95]) { rank value } }`;

const KEY_FIELDS = 'key label attributes { name value } counterGroup { guid }';

/** On a cluster, blocks and series are each read in a transaction of their own (ADR 16). */
const BESIDE = isOnCluster ? ['commit', 'commit'].length : 0;

/** More than a handful means that something is read one by one. */
const CEILING = 12 + BESIDE;

describe('the number of statements does not depend on how much is requested', () => {
  const oneAndMany: readonly [string, (guids: readonly string[]) => string][] = [
    [
      'toppers with labels, attributes and percentiles',
      (guids) => inGroups(guids, () => toppers(METERS, KEYS)),
    ],
    [
      'toppers from meters',
      (guids) => inGroups(guids, () => `meters { topper(maxItems: 10, ${WINDOW}) { ${KEYS} } }`),
    ],
    [
      'series, peaks and shares',
      (guids) =>
        inGroups(guids, () =>
          toppers(METERS, 'series { at total others } keys { peak share series { at value } }'),
        ),
    ],
    [
      'flat series',
      (guids) => inGroups(guids, () => toppers(METERS, 'flatSeries { at key label value } others')),
    ],
    [
      'toppers with the nodes of their keys',
      (guids) => inGroups(guids, () => toppers(METERS, `keys { keyNode { id ${KEY_FIELDS} } }`)),
    ],
    [
      'previous windows',
      (guids) =>
        inGroups(guids, () =>
          toppers(METERS, 'keys { previous { metric rank } hour: previous(ago: 3600) { metric } }'),
        ),
    ],
    [
      'filtered toppers',
      (guids) =>
        inGroups(
          guids,
          () => `topper(meter: 2, ${WINDOW}, filter: { match: "k1", search: "l" }) {
        ${KEYS} othersMatching keyCount }`,
        ),
    ],
    [
      'pages of keys',
      (guids) =>
        inGroups(
          guids,
          () => `keys(first: 5) { totalCount pageInfo { hasNextPage }
        edges { node { key label attributes { name } counterGroup { guid } } } }`,
        ),
    ],
    [
      'searches for keys',
      (guids) =>
        inGroups(
          guids,
          () => 'keys(first: 5, search: "LABEL") { totalCount edges { node { key } } }',
        ),
    ],
    [
      'keys of a window by pattern',
      (guids) =>
        inGroups(
          guids,
          () => `keys(first: 5, match: "k", window: { interval: { from: ${T0 + 61}, to: ${T0 + 901} } }) {
        totalCount edges { node { key label } } }`,
        ),
    ],
    [
      'trends with labels, percentiles, series and previous windows',
      (guids) =>
        inGroups(guids, () =>
          METERS.map(
            (id) => `t${id}: topperTrend(every: 600, meter: ${id}, maxItems: 5, ${WINDOW}) {
              ${KEYS} series { total } keys { peak series { at value } previous { metric } } }`,
          ).join('\n'),
        ),
    ],
    [
      'single keys',
      (guids) => inGroups(guids, () => 'key(key: "k1") { label attributes { value } }'),
    ],
    [
      'groups and meters',
      (guids) =>
        inGroups(
          guids,
          () => `timeInterval { from to } meters { index name }
        crosskey { parent { guid } } drilldowns { guid }`,
        ),
    ],
  ];

  it.each(oneAndMany)('%s, of 1 and of 20 groups', async (_, document) => {
    const one = await cost(document(GUIDS.slice(0, 1)));
    expect(await cost(document(GUIDS))).toBe(one);
    expect(one).toBeLessThan(CEILING);
  });

  it('flat series cost no more than series, and nothing on top of them', async () => {
    const series = (step: string) =>
      `series${step} { at total others } keys { label series${step} { at value } }`;
    const flat = (step: string) => `flatSeries${step} { at key label value }`;
    // Topper buckets are read from pages by key, shorter steps from blocks.
    for (const step of ['', '(step: 60)']) {
      const costOf = (selection: string) =>
        cost(inGroups(GUIDS.slice(0, 3), () => toppers(METERS, selection)));
      const usual = await costOf(series(step));
      expect(await costOf(flat(step))).toBeLessThanOrEqual(usual);
      expect(await costOf(`${series(step)} ${flat(step)}`)).toBe(usual);
    }
  });

  it('keyNode costs nothing on top of the keys that lead to it', async () => {
    const costOf = (selection: string) =>
      cost(inGroups(GUIDS, () => toppers(METERS, `keys { key ${selection} }`)));
    expect(await costOf(`keyNode { id ${KEY_FIELDS} }`)).toBe(await costOf(''));
    const below = (selection: string) =>
      cost(
        inGroups(
          GUIDS.slice(0, 1),
          () => `topper(meter: 2, ${WINDOW}) { keys {
            drilldown(crosskey: "${CROSS}", meter: 2) { keys { key ${selection} } } } }`,
        ),
      );
    expect(await below(`keyNode { id ${KEY_FIELDS} }`)).toBe(await below(''));
  });

  it('a dashboard costs seven: user, manifest, catalog, blocks, texts, series, commit', async () => {
    const dashboard = oneAndMany[0]?.[1] ?? (() => '');
    expect(await cost(dashboard(GUIDS))).toBe(7 + BESIDE);
  });

  it('a dashboard that was requested before reads no manifest, pages or texts', async () => {
    const dashboard = oneAndMany[0]?.[1] ?? (() => '');
    await cost(dashboard(GUIDS));
    const statements = lab.watchStatements();
    await lab.data(dashboard(GUIDS));
    // The lookup of the user, without a transaction: the series of percentiles are cached too.
    expect(statements()).toHaveLength(1);
  });

  /** Each begins within a topper bucket, whose part is read from blocks, not from series. */
  const window = (i: number) => `window: { interval: { from: ${T0 + 61 + i}, to: ${T0 + 3600} } }`;
  const aliased = (count: number, args: (i: number) => string, selection: string): string =>
    inGroups(GUIDS.slice(0, 1), () =>
      Array.from({ length: count }, (_, i) => `t${i}: topper(${args(i)}) { ${selection} }`).join(
        ' ',
      ),
    );

  it.each([
    ['of one window', () => `meter: 2, maxItems: 10, ${WINDOW}`],
    ['of 20 sizes', (i: number) => `meter: 2, maxItems: ${i + 1}, ${WINDOW}`],
    ['of 20 windows', (i: number) => `meter: 2, maxItems: 10, ${window(i)}`],
    [
      'with 20 filters',
      (i: number) => `meter: 2, maxItems: 10, ${WINDOW}, filter: { exclude: "k${i}" }`,
    ],
  ])('20 aliased toppers %s cost as many statements as one', async (_, args) => {
    const selection = `${KEYS} series { total } `;
    const one = await cost(aliased(1, args, selection));
    expect(await cost(aliased(20, args, selection))).toBe(one);
    expect(one).toBeLessThan(CEILING);
  });

  it('a trend of 6 and of 12 steps', async () => {
    const document = (every: number) =>
      inGroups(
        GUIDS,
        () => `topperTrend(every: ${every}, meter: 2, ${WINDOW}) { ${KEYS} series { total } }`,
      );
    const few = await cost(document(600));
    expect(await cost(document(300))).toBe(few);
    expect(few).toBeLessThan(CEILING);
  });

  it('drilldowns of 1 and of 10 keys', async () => {
    const document = (count: number, selection: string) =>
      inGroups(
        GUIDS.slice(0, 1),
        () => `topper(meter: 2, maxItems: ${count}, ${WINDOW}) { keys {
          drilldown(crosskey: "${CROSS}", meter: 2) { total others keys { key ${selection} } } } }`,
      );
    const plain = 'label metric share';
    expect(await cost(document(10, plain))).toBe(await cost(document(1, plain)));
    const full = 'label metric peak percentiles(ranks: [50]) { value } previous { metric }';
    expect(await cost(document(10, full))).toBe(await cost(document(1, full)));
  });

  it('slices with diskSize, of one day and of all', async () => {
    const document = (to: number) =>
      inContext(`slices(within: { from: ${T0}, to: ${to} }) { name diskSize path status }`);
    const one = await cost(document(T0 + DAY));
    const many = Array.from({ length: 10 }, (_, i) => ({
      group: guidOf(1),
      key: 'k',
      ts: T0 - i * DAY,
      values: { 2: 1 },
    }));
    await lab.importSamples(many);
    expect(await cost(inContext('slices { name diskSize path status }'))).toBe(one);
    expect(await cost(document(T0 + 10 * DAY))).toBe(one);
    expect(one).toBeLessThan(CEILING);
  });

  it('nodes of 1 and of many ids of every type', async () => {
    type Ids = { id: string }[];
    const { context } = await lab.data<{
      context: {
        slices: Ids;
        counterGroups: { id: string; meters: Ids; keys: { edges: { node: { id: string } }[] } }[];
      };
    }>(
      inContext(`slices { id } counterGroups { id meters { id } keys { edges { node { id } } } }`),
    );
    const groups = context.counterGroups;
    const ofType: readonly string[][] = [
      groups.map(({ id }) => id),
      groups.flatMap(({ meters }) => meters.map(({ id }) => id)),
      groups.flatMap(({ keys }) => keys.edges.map(({ node }) => node.id)),
      context.slices.map(({ id }) => id),
    ];
    const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Key { label }
      ... on Slice { diskSize } ... on Meter { name } ... on CounterGroup { name } } }`;
    for (const ids of ofType) {
      expect(ids.length).toBeGreaterThan(5);
      const costs: number[] = [];
      for (const id of ids.slice(0, 6)) costs.push(await cost(document, { ids: [id] }));
      // A key that a user has labelled, or that the manifest names, needs no page.
      const one = Math.max(...costs);
      expect(await cost(document, { ids: ids.slice(0, 50) })).toBe(one);
      expect(one).toBeLessThan(CEILING);
    }
    const mixed = ofType.flatMap((ids) => ids.slice(0, 12));
    expect(await cost(document, { ids: mixed })).toBeLessThan(CEILING);
  });
});

describe('a REST topper', () => {
  it('costs as many statements for 2 keys as for 15', async () => {
    const costOf = async (maxitems: number) => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await lab.topper({
        counter_group: guidOf(1),
        meter: 2,
        window_fromts: T0,
        window_seconds: 3600,
        maxitems,
        get_percentiles: '50,95',
        get_key_attributes: true,
      });
      return statements().length;
    };
    const few = await costOf(2);
    expect(await costOf(15)).toBe(few);
    expect(few).toBeLessThan(CEILING);
  });
});
