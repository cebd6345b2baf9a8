import { stringify } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, removeFolder, takeElsewhere } from '../../export/export-support.ts';
import { keepingOf } from '../../store/archive/keep-support.ts';
import { parseExactly } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { startLab } from '../../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../../support/lab/service.ts';
import { type Asked, askTopper, askTrend, questions, TOTALS } from './ask-toppers.ts';
import {
  compact,
  DECLARATION,
  drawLines,
  drawn,
  GROUPS,
  HOSTS,
  METERS,
  SEED,
  shuffled,
} from './relation-lab.ts';

/** One by each meter. */
const asked: readonly Asked[] = METERS.map(({ id: meter }, i) => ({
  ...drawn(questions([meter], i % 4 === 0 ? [HOSTS] : GROUPS), 20 + i),
  maxItems: 5 + i,
}));

const wholeOf = ({ group }: Asked) => `window { from to } availableWindow { from to } ${TOTALS}
  series(step: ${20 * group.topper_bucket_size}) { at total others }
  keys { rank key readable label metric volume averageRate share peak
    percentiles(ranks: [0, 50, 95, 100]) { rank value }
    series(step: ${20 * group.topper_bucket_size}) { at value }
    previous(ago: 90000) { metric rank change } }`;

const RANKED = `${TOTALS} keys { key metric rankValue }`;

const restParameters = ({ group, meter, window, maxItems, probe }: Asked): RestParameters => ({
  counter_group: group.guid,
  meter,
  window_fromts: window.from,
  window_tots: window.to,
  maxitems: maxItems,
  probe_id: probe,
  get_percentiles: '50,99',
});

const KEYS = `query ($window: WindowInput) { context(name: "${CONTEXT}") { totalWindow { from to }
  counterGroups { name timeInterval { from to } keys(window: $window, first: 300) {
    totalCount edges { node { key label } } } } } }`;

/** What a service answers to all questions, each by several fields, as text. */
async function answersOf(lab: TestService): Promise<(string | undefined)[]> {
  lab.emptyCaches();
  const answers: unknown[] = [];
  for (const each of asked) {
    const { bucket_size: bucket } = each.group;
    const steps = Math.ceil((each.window.to - each.window.from) / bucket);
    answers.push(
      await askTopper(lab, each, wholeOf(each)),
      await askTopper(lab, { ...each, rankBy: 'PEAK' }, RANKED),
      await askTopper(lab, { ...each, rankBy: 'GROWTH' }, RANKED),
      await askTrend(lab, { ...each, every: Math.ceil(steps / 50) * bucket, maxItems: 3 }, RANKED),
      await lab.topper(restParameters(each)),
    );
    if (each.group !== HOSTS) continue;
    answers.push(await lab.data(KEYS, { window: { interval: each.window } }));
    answers.push(await askTopper(lab, { ...each, prefix: { ipv4: 20, ipv6: 48 } }, RANKED));
  }
  return answers.map((each) => stringify(each));
}

/** The places of the answers that differ: whole answers would fill pages. */
const differing = (answers: readonly unknown[]): number[] =>
  expected.flatMap((each, i) => (each === answers[i] ? [] : [i]));

let folder: string;
let lab: TestService;
let expected: readonly (string | undefined)[];

beforeAll(async () => {
  folder = await makeFolder();
  lab = await startLab(DECLARATION);
  await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: folder }] });
  const lines = drawLines();
  await lab.importSamples(lines.slice(0, 2_000));
  await lab.importSamples(lines.slice(2_000, 4_000), { engine: 1 });
  await lab.importSamples(lines.slice(4_000));
  expected = await answersOf(lab);
});

afterAll(async () => {
  await lab.close();
  await removeFolder(folder);
});

/** Checks the answers of `lab`, or of another service with the same readings. */
async function expectSameAnswers(of = lab): Promise<void> {
  const answers = await answersOf(of);
  const different = differing(answers);
  const [first] = different;
  if (first !== undefined) expect(answers[first]).toBe(expected[first]);
  expect(different).toEqual([]);
}

describe(`every answer is the same (seed ${SEED})`, () => {
  it('before and after segments are sealed and rolled up', async () => {
    const { merges, rollUps } = await compact(lab);
    expect(Math.min(merges, rollUps)).toBeGreaterThan(0);
    await expectSameAnswers();
  });

  it('before and after slices are archived and restored', async () => {
    const keeping = keepingOf(lab);
    const names = (await keeping.list()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    const some = names.filter((_, i) => i % 2 === 0);
    await keeping.archive(...some);
    expect(differing(await answersOf(lab)).length).toBeGreaterThan(asked.length);
    await keeping.restore(...some);
    await expectSameAnswers();
  });

  it('after an export and an import elsewhere', async () => {
    const elsewhere = await startLab({ groups: [] });
    try {
      const [from, to] = [lab, elsewhere].map((service) => ({ service, context: CONTEXT }));
      if (!from || !to) throw new Error('both are places');
      for (const engine of [0, 1]) await takeElsewhere(from, to, { folder, engine });
      await expectSameAnswers(elsewhere);
    } finally {
      await elsewhere.close();
    }
  });

  it('if the samples are imported in another order, in other parts', async () => {
    const parts = 4;
    const other = await startLab(DECLARATION);
    try {
      const lines = shuffled(drawLines(), 50 + parts);
      const size = Math.ceil(lines.length / parts);
      for (let i = 0; i < parts; i += 1) {
        await other.importSamples(lines.slice(i * size, (i + 1) * size), { engine: i % 2 });
        if (i === 1) await compact(other);
      }
      await expectSameAnswers(other);
    } finally {
      await other.close();
    }
  });
});

describe(`REST (seed ${SEED})`, () => {
  it('has the values of GraphQL', async () => {
    for (const [i, each] of asked.entries()) {
      const rest = await lab.topper({ ...restParameters(each), resolve_keys: true });
      type Key = { key: string; percentiles: unknown };
      const graphql = await askTopper<{ others: unknown; keys: readonly Key[] }>(
        lab,
        each,
        'others keys { key readable label metric percentiles(ranks: [50, 99]) { rank value } }',
      );
      const numbers = stringify(graphql)?.replace(/"(-?[0-9]{16,})"/g, '$1') ?? '';
      const values = { others: rest.sysgrouptotal, keys: rest.keys };
      expect(values, `question ${i}`).toEqual(parseExactly(numbers));
    }
  });
});
