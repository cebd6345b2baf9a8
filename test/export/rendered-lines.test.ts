import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { aggregateOf } from '../../domain/toppers/meter-type.ts';
import { csvHeader, csvLines } from '../../export/csv-lines.ts';
import type { ExportedMetadata, ReadingPage, ReadingRow } from '../../export/reading-source.ts';
import { sampleLines } from '../../export/sample-lines.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';
import { parseSampleLine } from '../../ingest/samples/sample-line.ts';
import { parseCsv } from '../support/files/csv-parsers.ts';
import { guidOf, T0 } from '../support/lab/lab.ts';

const GUID = guidOf(1) as Guid;

/** A counter and a gauge. */
const TYPES = [2, 5];
const METERS = TYPES.map((type, i) => ({ id: type, meterIndex: i, aggregate: aggregateOf(type) }));

/** The same group as an import sees it. */
const IMPORTED: ImportGroup = {
  groupId: 1,
  keysGroupId: 1,
  guid: GUID,
  keyKind: 'text',
  bucketSeconds: 60,
  topperBucketSeconds: 300,
  meters: new Map(METERS.map((meter) => [meter.id, { ...meter, type: meter.id }])),
  aggregates: METERS.map(({ aggregate }) => aggregate),
  partGuids: [],
  partKinds: [],
};

const CONTEXT = { groups: new Map([[GUID, IMPORTED]]), bounds: { from: 0, to: 2 ** 40 } };

const row = (more: Partial<ReadingRow> = {}): ReadingRow => ({
  key: 'a',
  bucket: T0,
  readings: [1, null],
  counts: [null, null],
  texts: null,
  ...more,
});

const page = (rows: readonly ReadingRow[], probe: string | null = null): ReadingPage => ({
  group: { groupId: 1, keysGroupId: 1, guid: GUID, meters: METERS },
  probe,
  rows,
  done: 1,
});

const linesOf = (rows: readonly ReadingRow[], probe: string | null = null): string[] =>
  [...sampleLines(page(rows, probe))].flatMap(({ text }) => text.split('\n').slice(0, -1));

/** Text that a key, label or probe may have: no control characters and no lone surrogates. */
const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((drawn) => !/[\p{Control}\p{Surrogate}]/u.test(drawn));

const name = text.filter((drawn) => drawn.trim() === drawn);

const texts: fc.Arbitrary<ExportedMetadata> = fc.record({
  label: fc.option(fc.oneof(text, fc.constant('line 1\nline 2\r\n\u2028'))),
  isLabelDerived: fc.boolean(),
  description: fc.option(text),
  attributes: fc.option(fc.dictionary(text, text, { minKeys: 1, maxKeys: 3 })),
});

describe('a line of samples', () => {
  it('is parsed by an import as what was exported', () => {
    const rows = fc.record({
      key: text,
      bucket: fc.integer({ min: 10, max: 2 ** 30 }).map((n) => n * 60),
      readings: fc.tuple(
        fc.bigInt(0n, 2n ** 63n - 1n),
        fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n),
      ),
      count: fc.bigInt(1n, 2n ** 63n - 1n),
      texts: fc.option(texts),
    });
    fc.assert(
      fc.property(rows, fc.option(name), ({ count, ...given }, probe) => {
        const [line = '', ...more] = linesOf([row({ ...given, counts: [null, count] })], probe);
        expect(more).toEqual([]);
        const sample = parseSampleLine(CONTEXT, line);
        expect(sample.key.text).toBe(given.key);
        expect(sample.bucket).toBe(given.bucket);
        expect(sample.probe).toBe(probe);
        expect(sample.readings.map((reading) => BigInt(reading ?? 0))).toEqual(given.readings);
        expect(BigInt(sample.count)).toBe(count);
        const { label, description, attributes } = given.texts ?? {};
        expect(sample.texts?.label ?? null).toBe(label ?? null);
        expect(sample.texts?.description ?? null).toBe(description ?? null);
        expect(sample.texts?.attributes ?? null).toEqual(attributes ?? null);
      }),
      { numRuns: 500 },
    );
  });

  it('has only the fields that it needs', () => {
    const whole: ExportedMetadata = {
      label: 'Lobby',
      isLabelDerived: false,
      description: 'ground floor',
      attributes: { floor: '0' },
    };
    const full = row({ readings: [2n ** 63n - 1n, 7], counts: [null, 3], texts: whole });
    expect([...linesOf([row()]), ...linesOf([full], 'p1')]).toEqual([
      `{"group":"${GUID}","key":"a","ts":${T0},"values":{"2":1}}`,
      `{"group":"${GUID}","key":"a","ts":${T0},"values":{"2":9223372036854775807,"5":7},"count":3,` +
        '"probe":"p1","label":"Lobby","description":"ground floor","attributes":{"floor":"0"}}',
    ]);
  });

  it('has the texts on the first of several lines', () => {
    const said: ExportedMetadata = {
      label: 'x',
      isLabelDerived: false,
      description: null,
      attributes: null,
    };
    const [first, ...more] = linesOf([row({ readings: [2n ** 64n, null], texts: said })]);
    expect(first).toContain('"label":"x"');
    expect(more.filter((line) => line.includes('label'))).toEqual([]);
    expect(more.length).toBeGreaterThan(0);
  });

  it('is never longer than an import accepts: texts that are too long are left out and counted', () => {
    const textsOf = (length: number): ExportedMetadata => ({
      label: 'é'.repeat(length / 2),
      isLabelDerived: true,
      description: null,
      attributes: null,
    });
    const without = linesOf([row()])[0]?.length ?? 0;
    const room = LIMITS.importLineBytes - without - ',"label":""'.length;
    const [fits] = sampleLines(page([row({ texts: textsOf(room - (room % 2) - 2) })]));
    expect(fits).toMatchObject({ lines: 1, derivedLabels: 1, keysWithLongTexts: 0 });
    expect(Buffer.byteLength(fits?.text ?? '')).toBeLessThanOrEqual(LIMITS.importLineBytes);
    expect([...sampleLines(page([row({ texts: textsOf(room + 2) })]))]).toEqual([
      {
        text: `${linesOf([row()])[0]}\n`,
        lines: 1,
        derivedLabels: 0,
        keysWithLongTexts: 1,
      },
    ]);
  });
});

describe('a line of CSV', () => {
  const csvOf = (rows: readonly ReadingRow[], probe: string | null = null): string[][] =>
    parseCsv(csvHeader() + [...csvLines(page(rows, probe))].map((part) => part.text).join(''));

  it('is written for each value, with the count of a mean', () => {
    const given = row({ readings: [2n ** 63n - 1n, -7], counts: [null, 3] });
    expect(csvOf([given, row({ key: 'b', bucket: T0 + 60 })], 'p1')).toEqual([
      ['group', 'key', 'probe', 'ts', 'meter', 'value', 'count'],
      [GUID, 'a', 'p1', `${T0}`, '2', '9223372036854775807', '1'],
      [GUID, 'a', 'p1', `${T0}`, '5', '-7', '3'],
      [GUID, 'b', 'p1', `${T0 + 60}`, '2', '1', '1'],
    ]);
  });

  it('may have any key, and never contains a spreadsheet formula', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (keys) => {
        const cells = csvOf(keys.map((key) => row({ key }))).slice(1);
        expect(cells).toHaveLength(keys.length);
        for (const [i, [, written]] of cells.entries()) {
          expect([keys[i], `'${keys[i]}`]).toContain(written);
          expect(written?.trim()).not.toMatch(/^[=+\-@]/);
        }
        const distinct = new Set(cells.map(([, written]) => written));
        expect(distinct.size).toBe(new Set(keys).size);
      }),
      { examples: [[["'+ ", '+ ', "''+ ", ' ']]] },
    );
    expect(csvOf([row({ key: '=1+1' })])[1]?.[1]).toBe("'=1+1");
    expect(csvOf([row({ key: '-a' })])[1]?.[1]).toBe("'-a");
  });

  it('is one of several if a sum is too large for 64 bits', () => {
    const values = csvOf([row({ readings: [2n ** 64n, null] })])
      .slice(1)
      .map((cells) => BigInt(cells[5] ?? ''));
    expect(values).toHaveLength(3);
    expect(values.reduce((a, b) => a + b)).toBe(2n ** 64n);
  });

  it('is counted', () => {
    const rows = Array.from({ length: 1_203 }, (_, i) => row({ key: `k${i}` }));
    const parts = [...csvLines(page(rows))];
    expect(parts.map(({ lines }) => lines).reduce((a, b) => a + b)).toBe(1_203);
    expect(csvOf(rows)).toHaveLength(1_204);
  });
});
