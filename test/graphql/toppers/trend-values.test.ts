import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  GROUPS,
  interval,
  METERS,
  PROBES,
  question,
  samples,
} from '../../support/random/random-samples.ts';
import { bucketOf, isInWindow, referenceTopper } from '../../support/reference/reference-topper.ts';

const PAIRS = group(10, {
  key_kind: 'crosskey',
  meters: METERS,
  crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
});

const PARTS = fc.sample(
  fc.record({ first: fc.constantFrom('a', 'B', 'aa'), second: fc.constantFrom('k1', 'k2') }),
  { numRuns: 300, seed: 4 },
);

let lab: TestService;
let lines: readonly Line[];

beforeAll(async () => {
  const [drawn = []] = fc.sample(samples, { numRuns: 1, seed: 11 });
  const [more = []] = fc.sample(samples, { numRuns: 1, seed: 12 });
  const hosts = [...drawn, ...more];
  const pairs = hosts.slice(0, 300).map((line, i) => ({
    ...line,
    group: PAIRS.guid,
    key: `${PARTS[i]?.first}\\${PARTS[i]?.second}`,
  }));
  lab = await startLab({
    groups: [...GROUPS, PAIRS],
    declaration: { probes: PROBES.map((id) => ({ id })) },
    lines: hosts.slice(0, 200),
  });
  // Late data of the same times and slices: each import makes its own segment.
  await lab.importSamples([...hosts.slice(200), ...pairs.slice(0, 150)]);
  await lab.importSamples(pairs.slice(150), { engine: 1 });
  lines = lab.imported();
});

afterAll(() => lab.close());

const TREND = `query ($guid: Guid!, $every: Int!, $meter: Int!, $window: WindowInput!, $maxItems: Int!,
    $probe: String, $filter: KeyFilterInput) {
  context(name: "lab") { counterGroup(guid: $guid) {
    topperTrend(every: $every, meter: $meter, window: $window, maxItems: $maxItems, probe: $probe,
      filter: $filter) { ...Fields } } } }
  fragment Fields on Topper {
    window { from to } total others othersMatching keyCount
    keys { key metric percentiles(ranks: [0, 50, 95, 100]) { rank value } } }`;

type Value = number | string;
type Step = {
  readonly window: { readonly from: number; readonly to: number };
  readonly total: Value;
  readonly others: Value;
  readonly othersMatching: Value;
  readonly keyCount: number;
  readonly keys: readonly {
    readonly key: string;
    readonly metric: Value;
    readonly percentiles: readonly { readonly rank: number; readonly value: Value }[];
  }[];
};

const exactly = (step: Step) => ({
  total: BigInt(step.total),
  others: BigInt(step.others),
  othersMatching: BigInt(step.othersMatching),
  keyCount: step.keyCount,
  keys: step.keys.map(({ key, metric, percentiles }) => ({
    key,
    metric: BigInt(metric),
    percentiles: percentiles.map(({ rank, value }) => ({ rank, value: BigInt(value) })),
  })),
});

/** Steps in buckets of the group: they need not be multiples of its topper bucket. */
const MULTIPLES = fc.constantFrom(1, 2, 5, 7, 60, 1440);

describe('a trend', () => {
  it('has in each step the values of plain arithmetic over all imported samples', async () => {
    await fc.assert(
      fc.asyncProperty(question, MULTIPLES, fc.boolean(), async (drawn, multiple, isOfPairs) => {
        const asked = isOfPairs ? { ...drawn, group: PAIRS } : drawn;
        const { from, to, meter, maxItems, probe, match, exclude } = asked;
        const { bucket_size: bucket, guid } = asked.group;
        const least = Math.ceil((to - from) / 40 / bucket) * bucket;
        const every = Math.max(bucket * multiple, least);
        const { context } = await lab.data<{
          context: { counterGroup: { topperTrend: Step[] } };
        }>(TREND, {
          guid,
          every,
          meter,
          maxItems,
          probe,
          window: { interval: { from, to } },
          filter: { match, exclude },
        });
        const { topperTrend: trend } = context.counterGroup;
        let end = from;
        for (const step of trend) {
          const { window } = step;
          expect(window.from).toBe(end);
          expect(window.to).toBe(Math.min(to, (Math.floor(end / every) + 1) * every));
          end = window.to;
          const reference = { ...asked, ...window, ranks: [0, 50, 95, 100] };
          expect(exactly(step)).toEqual(referenceTopper(lines, reference));
        }
        expect(end).toBe(to);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 2) },
    );
  });

  it('has in each step the same fields as the topper of its window', async () => {
    const fields = `window { from to } availableWindow { from to } total others othersMatching keyCount
      counterGroup { guid } meter { index } samplingRate series { at total others }
      flatSeries(step: 60) { at key value averageRate }
      keys { rank key readable label metric rankValue volume averageRate share peak
        percentiles(ranks: [50]) { value } series { at value } keyNode { id }
        previous { window { from to } metric rank change changeRatio }
        drilldown(crosskey: "${PAIRS.guid}", meter: 4) { total others keys { key metric } } }`;
    const from = T0 - 4000;
    const to = T0 + 3000;
    const asked = 'meter: 4, maxItems: 3, filter: { match: "[ak]" }';
    const ask = async (selection: string) =>
      (
        await lab.data<{ context: { counterGroup: Record<string, unknown> } }>(
          `{ context(name: "lab") { counterGroup(guid: "${guidOf(1)}") { ${selection} } } }`,
        )
      ).context.counterGroup;
    const { topperTrend } = await ask(
      `topperTrend(every: 1800, ${asked}, window: { interval: { from: ${from}, to: ${to} } }) { ${fields} }`,
    );
    const steps = topperTrend as { window: { from: number; to: number } }[];
    expect(steps).toHaveLength(5);
    const toppers = await ask(
      steps
        .map(
          ({ window }, i) =>
            `t${i}: topper(${asked}, window: { interval: { from: ${window.from}, to: ${window.to} } }) { ${fields} }`,
        )
        .join('\n'),
    );
    expect(steps).toEqual(steps.map((_, i) => toppers[`t${i}`]));
  });
});

const KEYS = `query ($guid: Guid!, $window: WindowInput, $match: String, $first: Int, $after: String) {
  context(name: "lab") { counterGroup(guid: $guid) {
    keys(window: $window, match: $match, first: $first, after: $after) {
      edges { node { key } } totalCount pageInfo { hasNextPage endCursor } } } } }`;

type Keys = {
  readonly edges: readonly { readonly node: { readonly key: string } }[];
  readonly totalCount: number;
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
};

async function keysPage(variables: Readonly<Record<string, unknown>>): Promise<Keys> {
  const { context } = await lab.data<{ context: { counterGroup: { keys: Keys } } }>(
    KEYS,
    variables,
  );
  return context.counterGroup.keys;
}

describe('the keys of a window', () => {
  it('are all keys with a reading of any meter in it, each once and in byte order', async () => {
    await fc.assert(
      fc.asyncProperty(
        interval,
        fc.constantFrom(...GROUPS, PAIRS),
        fc.constantFrom(undefined, '^[ak]', '1', 'F'),
        fc.constantFrom(1, 3, 1000),
        async (window, of, match, first) => {
          const inside = lines.filter(
            (line) => line.group === of.guid && isInWindow(bucketOf(line, of), window),
          );
          const passing = [...new Set(inside.map(({ key }) => key))]
            .filter((key) => match === undefined || new RegExp(match, 'u').test(key))
            .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
          const found: string[] = [];
          for (let after: string | null = null; ; ) {
            const { edges, totalCount, pageInfo } = await keysPage({
              guid: of.guid,
              window: { interval: window },
              match,
              first,
              after,
            });
            expect(totalCount).toBe(passing.length);
            found.push(...edges.map(({ node }) => node.key));
            if (!pageInfo.hasNextPage) break;
            expect(edges).toHaveLength(first);
            after = pageInfo.endCursor;
          }
          expect(found).toEqual(passing);
        },
      ),
      { numRuns: Math.ceil(FUZZ_CASES / 2) },
    );
  });
});
