import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, type DeclaredGroup, group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, type Line, type TestService } from '../support/lab/service.ts';
import { METERS, values } from '../support/random/random-samples.ts';
import {
  declareAs,
  doneOn,
  makeFolder,
  readingsOf,
  removeFolder,
  runOn,
  takeElsewhere,
} from './export-support.ts';

const TEXTS = guidOf(1);
const HOSTS = guidOf(2);
const PAIRS = guidOf(3);
const HIDDEN = guidOf(4);

/** Groups that differ in buckets, sampling and kinds of keys; the last is disabled. */
const GROUPS: readonly DeclaredGroup[] = [
  group(1, { meters: [...METERS, meter(0, 0, 'Invalid')] }),
  group(2, {
    key_kind: 'ip',
    meters: METERS,
    sampling_rate: 7,
    bucket_size: 3600,
    topper_bucket_size: 7200,
  }),
  group(3, {
    key_kind: 'crosskey',
    meters: METERS,
    crosskey: { parentguid: TEXTS, crosskeyguid_1: HOSTS, crosskeyguid_2: TEXTS },
  }),
  group(4, { enabled: false, meters: METERS }),
];

/** Keys that JSON, CSV, cross-keys or a shell could misinterpret. */
const TEXT_KEYS = ['a', 'B', 'x\\y', '\\', '"q"', '=1+1', 'é', '\u{1F600}', ' b ', "it's, so"];
const ADDRESSES = ['C0.A8.01.0A', '0A.00.00.01', '20.01.0D.B8.00.00.00.00.00.00.00.00.00.00.00.01'];

const escaped = (part: string): string => part.replaceAll('\\', '\\\\');

const text = fc.constantFrom(...TEXT_KEYS);
const address = fc.constantFrom(...ADDRESSES);

// Only the first part of a cross-key may begin with a backslash.
const inner = fc.constantFrom(...TEXT_KEYS.filter((key) => !key.startsWith('\\')));

const crossKey = fc
  .tuple(text, address, inner)
  .map(([parent, first, second]) => `${escaped(parent)}\\${first}\\${escaped(second)}`);

const place = fc.oneof(
  fc.tuple(fc.constantFrom(TEXTS, HIDDEN), text),
  fc.tuple(fc.constant(HOSTS), address),
  fc.tuple(fc.constant(PAIRS), crossKey),
);

/** Few buckets on three days, so that many lines share one. */
const line: fc.Arbitrary<Line> = fc
  .record({
    place,
    ts: fc
      .tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom(0, 59, 60, 3599, 3600, DAY - 1))
      .map(([day, second]) => T0 + day * DAY + second),
    values,
    count: fc.constantFrom(1, 1, 2, 3, 2 ** 40),
    probe: fc.constantFrom(undefined, 'p1', 'p 2'),
    label: fc.constantFrom(undefined, undefined, 'First', 'said "so", = 1\nor\\not'),
    description: fc.constantFrom(undefined, undefined, 'near the door'),
    attributes: fc.constantFrom(undefined, undefined, { floor: '2', 'a "b"': 'c\\d' }),
  })
  .map(({ place: [guid, key], ts, values: read, count, ...rest }) => {
    const said = Object.entries(rest).filter(([, value]) => value !== undefined);
    return { group: guid, key, ts, values: read, count, ...Object.fromEntries(said) };
  });

/**
 * Imports of some lines each. In the last ones, sums exceed what one reading can hold, and neither
 * the first nor the last value of an extreme is the right one.
 */
const imports = fc
  .array(fc.array(line, { minLength: 1, maxLength: 80 }), { minLength: 2, maxLength: 4 })
  .map((drawn) => [
    ...drawn,
    ...EXTREMES.map((values) => [...LARGE, { group: HIDDEN, key: 'a', ts: T0, values }]),
  ]);

const EXTREMES = [
  { 8: 2, 11: -5, 12: 9 },
  { 8: 3, 11: -4, 12: -9 },
  { 8: 1, 11: -6, 12: 0 },
];

const LARGE: readonly Line[] = [
  { group: TEXTS, key: 'a', ts: T0, values: { 2: 2n ** 63n - 1n, 4: 2n ** 63n - 1n } },
  { group: TEXTS, key: 'a', ts: T0, values: { 5: -(2n ** 63n) + 1n, 6: 5 }, count: 3 },
  { group: TEXTS, key: 'a', ts: T0, values: { 5: -(2n ** 63n) + 1n, 11: 2n ** 63n - 1n } },
  { group: PAIRS, key: 'x\\\\y\\C0.A8.01.0A\\B', ts: T0, values: { 2: 1 }, label: 'pair' },
];

const GROUP_OF = `query ($context: String!, $group: Guid!) {
  context(name: $context) { counterGroup(guid: $group) { name } }
}`;

const RUNS = 4;

let folder: string;
let lab: TestService;
let elsewhere: TestService;

const contexts = Array.from({ length: RUNS }, (_, i) => `${CONTEXT}${i}`);
const copies = contexts.map((name) => `copy of ${name}`);

beforeAll(async () => {
  [folder, lab, elsewhere] = await Promise.all([
    makeFolder(),
    startLab({ groups: [] }),
    startLab({ groups: [] }),
  ]);
  const probes = [{ id: 'p1', description: 'core' }, { id: 'p 2' }];
  for (const context of contexts) await lab.apply({ context, groups: GROUPS, probes });
  await lab.grant(ADA, contexts);
  for (const context of copies) await elsewhere.apply({ context });
  await elsewhere.grant(ADA, copies);
});

afterAll(async () => {
  await Promise.all([lab?.close(), elsewhere?.close()]);
  await removeFolder(folder);
});

/** Returns the sorted contents of a file: its readings, and separately the texts of keys. */
async function contentOf(file: string): Promise<{ readings: string[]; texts: string[] }> {
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n');
  const readings: string[] = [];
  const texts: string[] = [];
  for (const each of lines) {
    const [said = ''] = /(,"(label|description|attributes)":.*)?}$/.exec(each) ?? [];
    const [key = ''] = /^.*?,"ts"/.exec(each) ?? [];
    readings.push(each.slice(0, each.length - said.length));
    if (said !== '}') texts.push(key + said);
  }
  return { readings: readings.toSorted(), texts: texts.toSorted() };
}

describe('a context that is exported and imported elsewhere', () => {
  it('has the same readings and texts of keys', async () => {
    let run = 0;
    const isSame = fc.asyncProperty(imports, async (files) => {
      const from = { service: lab, context: contexts[run] ?? '' };
      const to = { service: elsewhere, context: copies[run] ?? '' };
      run += 1;
      for (const lines of files) await lab.importSamples(lines, { context: from.context });
      const samples = await takeElsewhere(from, to, { folder });

      expect(await readingsOf(to)).toEqual(await readingsOf(from));
      for (const { service, context } of [from, to]) {
        const answer = await service.data(GROUP_OF, { context, group: HIDDEN });
        expect(answer).toEqual({ context: { counterGroup: null } });
      }
      // A second export differs only in its order.
      const again = join(folder, 'again.ndjson.gz');
      await doneOn(elsewhere, 'export', '--context', to.context, again);
      expect(await contentOf(again)).toEqual(await contentOf(samples));
    });
    await fc.assert(isSame, { numRuns: RUNS, endOnFailure: true });
  });

  it('has the same declaration: applying it to the original changes nothing', async () => {
    const context = contexts[0] ?? '';
    const pools = [
      { name: 'cold', path: '/data/cold', total_size: 2 ** 45, additional_info: 'second shelf' },
    ];
    const nodes = [
      { name: 'dr0', role: 'dr', url_env: 'DR_URL' },
      { name: 'r1', role: 'replica', url_env: 'R1_URL', share: true },
      { name: 'near', role: 'replica', url: 'postgres://ada:secret@db.example.com/countergraph' },
    ];
    await lab.apply({ context, slice_seconds: 86_400, retention_days: 9_000, pools, nodes });
    const file = join(folder, 'declaration.json');
    const empty = ['--from', '1990-01-01', '--to', '1990-01-02', join(folder, 'none.ndjson')];
    const outcome = await doneOn(
      lab,
      'export',
      '--context',
      context,
      '--declaration',
      file,
      ...empty,
    );
    expect(outcome.err).toEqual([
      'node near is left out of the declaration, because its address may hold a password: declare ' +
        'it with url_env, or where it is needed',
    ]);
    const declaration = await readFile(file, 'utf8');
    expect(declaration).not.toContain('secret');
    expect(JSON.parse(declaration)).toMatchObject({
      context,
      slice_seconds: 86_400,
      retention_days: 9_000,
      nodes: [
        { name: 'dr0', role: 'dr', url_env: 'DR_URL' },
        { name: 'r1', role: 'replica', url_env: 'R1_URL', share: true },
      ],
      pools: [{ name: 'cold', total_size: 2 ** 45 }],
      probes: [{ id: 'p 2' }, { id: 'p1', description: 'core' }],
      groups: GROUPS.map(({ guid, name, key_kind }) => ({ guid, name, key_kind })),
    });
    const { out } = await doneOn(lab, 'apply', file, '--json');
    const { counts, items } = JSON.parse(out[0] ?? '');
    expect(counts).toEqual({ created: 0, changed: 0, unchanged: items.length });
    expect(items.length).toBeGreaterThan(GROUPS.length * METERS.length);
  });

  it('is exported one engine at a time, and imported for the same one', async () => {
    const from = contexts[1] ?? '';
    const to = copies[1] ?? '';
    const lines = [{ group: TEXTS, key: 'engine', ts: T0 + 60, values: { 2: 5 } }];
    await lab.importSamples(lines, { context: from, engine: 3 });
    await takeElsewhere(
      { service: lab, context: from },
      { service: elsewhere, context: to },
      { folder, engine: 3 },
    );
    const of = async (service: TestService, context: string) =>
      (await readingsOf({ service, context })).filter(({ engine }) => engine === 3);
    expect(await of(elsewhere, to)).toEqual(await of(lab, from));
    expect(await of(elsewhere, to)).toHaveLength(1);
  });

  it('can be imported into another context of the same database', async () => {
    const place = { service: lab, context: 'twin' };
    const from = { service: lab, context: contexts[2] ?? '' };
    const samples = join(folder, 'twin.ndjson');
    const declaration = join(folder, 'twin.json');
    const parts = ['export', '--context', from.context, '--declaration', declaration, samples];
    await doneOn(lab, ...parts);
    await declareAs(place, declaration);
    await doneOn(lab, 'import', '--context', 'twin', '--format', 'samples', samples);
    expect(await readingsOf(place)).toEqual(await readingsOf(from));
  });

  it('is refused if it was imported before, like any other file', async () => {
    const file = join(folder, 'twice.ndjson');
    await writeFile(file, '');
    await doneOn(lab, 'export', '--context', contexts[3] ?? '', file);
    const into = ['import', '--context', 'twin', '--format', 'samples', file];
    await doneOn(lab, ...into);
    expect(await runOn(lab, ...into)).toMatchObject({ status: 1 });
  });
});
