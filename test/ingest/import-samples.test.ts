import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { storedReadings } from '../support/reference/stored-readings.ts';
import {
  declareSamples,
  GAUGES,
  importText,
  NOTHING,
  NOW,
  samples,
  sums,
  traces,
} from './import-support.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

describe('an import of samples', () => {
  it('needs its context to be declared', async () => {
    await expect(importText(samples(), { databaseUrl, format: 'samples' })).rejects.toThrow(
      'There is no context lab: declare it with `countergraph apply`',
    );
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });

  const importSamples = (lines: object[], options = {}) =>
    importText(samples(...lines), { databaseUrl, format: 'samples', ...options });

  /** `key slot value count`, of each reading. */
  const readings = async (group: string) =>
    (await storedReadings(databaseUrl))
      .filter((each) => each.group === group)
      .map(({ key, slot, value, count }) => `${key} ${slot} ${value} ${count}`);

  it('combines the readings of one key and bucket by the rules of their meters', async () => {
    await declareSamples(databaseUrl);
    const report = await importSamples([
      { values: { 0: 5, 1: 7 } },
      { values: { 0: 6 } },
      { group: GAUGES, values: { 0: 10, 1: 4, 2: 4 }, count: 2 },
      { group: GAUGES, values: { 0: -3, 1: 9, 2: -9 } },
      { group: GAUGES, values: { 0: 1 }, key: 'b' },
    ]);
    expect(report).toMatchObject({
      lines: 5,
      records: 5,
      readings: 3,
      keys: 3,
      keysAreExact: true,
    });
    expect(await readings('Counters')).toEqual(['a 1 11 1', 'a 2 7 1']);
    expect(await readings('Gauges')).toEqual(['a 1 7 3', 'a 2 9 1', 'a 3 -9 1', 'b 1 1 1']);
  });

  it('adds up exactly, even beyond 64 bits', async () => {
    await declareSamples(databaseUrl);
    const max = 2n ** 63n - 1n;
    const line = samples({ values: { 0: 'MAX' } }).replace('"MAX"', `${max}`);
    const report = await importText(line.repeat(5), { databaseUrl, format: 'samples' });
    expect(report).toMatchObject({ records: 5, readings: 1 });
    expect((await sums(databaseUrl))['Counters a 1']).toBe(`${5n * max}`);
  });

  it('takes probes from the lines, or else from the option, and creates new ones', async () => {
    await declareSamples(databaseUrl);
    const value = { values: { 0: 1 } };
    await importSamples([value, { ...value, probe: 'p1' }], { probe: 'p2' });
    await importSamples([value, value, { ...value, probe: 'p1' }]);
    const stored = await storedReadings(databaseUrl);
    expect(stored.map(({ probe, value }) => [probe, value])).toEqual([
      [null, 2n],
      ['p1', 1n],
      ['p1', 1n],
      ['p2', 1n],
    ]);
  });

  it('sets labels, descriptions and attributes; the last ones win', async () => {
    await declareSamples(databaseUrl);
    const value = { values: { 0: 1 } };
    await importSamples([
      { ...value, label: 'old', description: 'first' },
      { ...value, label: 'alpha', attributes: { rack: 1 } },
      { ...value, key: 'b', label: 'beta' },
    ]);
    await importSamples([
      { ...value, attributes: { rack: 2, row: 'x' } },
      { ...value, key: 'b', label: '' },
    ]);
    expect(
      await rowsOf(
        databaseUrl,
        'select key, label, label_source, description, attributes from key_texts',
      ),
    ).toEqual([
      {
        key: 'a',
        label: 'alpha',
        label_source: 'user',
        description: 'first',
        attributes: { rack: '2', row: 'x' },
      },
    ]);
  });

  it('fails at an invalid line, and leaves no trace', async () => {
    await declareSamples(databaseUrl);
    const before = await traces(databaseUrl);
    const lines = [
      { values: { 0: 1 }, probe: 'p9' },
      { values: { 0: 1 }, key: 'b' },
      { values: { 0: -1 } },
    ];
    await expect(importSamples(lines, { batchRows: 1 })).rejects.toThrow(
      'test.log, line 3: the value of meter 0 must be an integer from 0 to 2^63-1, got -1',
    );
    expect(await traces(databaseUrl)).toEqual(before);
  });

  it('does not write into an archived slice', async () => {
    await declareSamples(databaseUrl);
    await importSamples([{ values: { 0: 1 } }]);
    await rowsOf(databaseUrl, 'update slices set archived = true');
    await expect(importSamples([{ values: { 0: 2 } }])).rejects.toThrow(
      'test.log: slice-20231116-0000 is archived: restore it before importing into it',
    );
  });

  it('limits how many slices one file may fill', async () => {
    await declareSamples(databaseUrl);
    await rowsOf(databaseUrl, 'insert into engines select context_id, 0 from contexts');
    await rowsOf(
      databaseUrl,
      `insert into slices (context_id, engine, starts_at, ends_at)
       select context_id, 0, $1 + i * 86400, $1 + (i + 1) * 86400
       from contexts, generate_series(0, 1000) i`,
      [NOW - (NOW % 86_400) - 1001 * 86_400],
    );
    const days = Array.from({ length: 1001 }, (_, i) => ({
      ts: NOW - (i + 1) * 86_400,
      values: { 0: 1 },
    }));
    await expect(importSamples(days)).rejects.toThrow(
      'test.log: one file may fill at most 1000 slices of 86400 seconds: import it in parts',
    );
  });
});
