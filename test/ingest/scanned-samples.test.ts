import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Guid } from '../../domain/guid.ts';
import type { KeyKind } from '../../domain/key-kind.ts';
import { foldOf } from '../../domain/meter-type.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';
import type { ReadingBatch } from '../../ingest/reading-batch.ts';
import { parseSampleLine } from '../../ingest/sample-line.ts';
import { createScannedSamples } from '../../ingest/scanned-samples.ts';
import { timeBounds } from '../../ingest/time-bounds.ts';
import { readingAt } from '../../packing/reading-at.ts';
import { emptyBatch, groupOf } from './batch-support.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid;
const TEXTS = '{11111111-2222-3333-4444-555555555555}' as Guid;
const PAIRS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}' as Guid;

/** Its meters: 0 cannot be read, 2 is a counter, 5 a mean, 12 a minimum. */
function group(groupId: number, guid: Guid, keyKind: KeyKind): ImportGroup {
  const meters = [2, 5, 12, 0].map((type, i) => ({
    id: type,
    type,
    slot: i + 1,
    fold: foldOf(type),
  }));
  return {
    ...groupOf([], groupId),
    ...{ guid, keyKind, folds: meters.map(({ fold }) => fold), hasMeans: true },
    meters: new Map(meters.map((meter) => [meter.id, meter])),
    partKinds: keyKind === 'crosskey' ? ['ip', 'text'] : [],
  };
}

const groups = new Map([
  [HOSTS, group(1, HOSTS, 'ip')],
  [TEXTS, group(2, TEXTS, 'text')],
  [PAIRS, group(3, PAIRS, 'crosskey')],
]);
const bounds = timeBounds(1_800_000_000);
const context = { groups, bounds };

const LINE =
  '{"group":"{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}","key":"C0.A8.01.0A","ts":1700000000,' +
  '"values":{"2":1500,"5":7},"count":3,"probe":"p1"}';

/** The only row of a batch, with all that its line has said. */
function rowIn(batch: ReadingBatch): unknown {
  const all = batch.all().filter(({ rows }) => rows.rowCount > 0);
  const [first] = all;
  if (!first || all.length > 1 || first.rows.rowCount > 1) return null;
  const { probe, rows } = first;
  const keys = rows.keys.takeNewKeys();
  return {
    probe,
    group: rows.keys.group.guid,
    key: keys.find(({ index }) => index === rows.keyIndexes[0])?.key,
    bucket: rows.buckets[0],
    readings: rows.readings.map((column) => readingAt(column, 0)),
    counts: rows.counts.map((column) => column && readingAt(column, 0)),
  };
}

/** What the scanner makes of a line, null where it leaves it; `before`: lines that came before. */
function scanned(line: string, before: string[] = []): unknown {
  const add = createScannedSamples({ ...context, probe: null });
  for (const each of before) add(emptyBatch(), each);
  const batch = emptyBatch();
  if (add(batch, line)) return rowIn(batch);
  expect(batch.rowCount).toBe(0);
  expect(batch.all()).toEqual([]);
  return null;
}

/** What the rules make of a line; a bad one throws. */
function parsed(line: string): unknown {
  const { readings: values, ...sample } = parseSampleLine(context, line);
  const batch = emptyBatch();
  batch.add({ ...sample, values });
  return rowIn(batch);
}

const withKey = (groupGuid: Guid, key: string): string =>
  JSON.stringify({ group: groupGuid, key, ts: 1_700_000_000, values: { 2: 1 } });

describe('a line of the usual shape', () => {
  it.each([
    ['of all fields', LINE],
    ['with spaces', LINE.replaceAll(':', ': ').replaceAll(',', ', ').replace('{"2', '{ "2')],
    ['without count and probe', LINE.replace(/,"count.*/, '}')],
    ['whose fields come in another order', `{"count":3,${LINE.slice(1).replace(/,"count.*/, '}')}`],
    ['with a GUID in lower case', LINE.replace(HOSTS, HOSTS.toLowerCase())],
    ['with a key in lower case', LINE.replace('C0.A8', 'c0.a8')],
    ['of 0', LINE.replace('1500', '0')],
    ['of 15 digits', LINE.replace('1500', '999999999999999')],
    ['of a negative mean', LINE.replace('"5":7', '"5":-7')],
    ['that says a value twice', LINE.replace('"5":7', '"5":7,"2":8')],
    ['with an escape in the key', LINE.replace('C0.', '\\u00430.')],
    ['of a text key', withKey(TEXTS, "söme 'téxt' \\ 😀")],
  ])('%s is read without the general parser, and means the same', (_, line) => {
    expect(scanned(line)).not.toBeNull();
    expect(scanned(line)).toEqual(parsed(line));
    expect(scanned(line, [LINE, withKey(TEXTS, 'a\\b')])).toEqual(parsed(line));
  });

  it('is read so when its cross-key was met before', () => {
    const add = createScannedSamples({ ...context, probe: null });
    const line = withKey(PAIRS, 'C0.A8.01.0A\\a\\\\b');
    const batch = emptyBatch();
    expect(add(batch, line)).toBe(false);
    const { readings: values, ...sample } = parseSampleLine(context, line);
    batch.add({ ...sample, values });
    expect(add(batch, line)).toBe(true);
    batch.compact();
    expect(batch.rowCount).toBe(1);
  });

  it('is of the probe that is named for lines without one', () => {
    const add = createScannedSamples({ ...context, probe: 'p2' });
    const batch = emptyBatch();
    for (const line of [LINE, LINE.replace(',"probe":"p1"', '')]) add(batch, line);
    expect(batch.all().map(({ probe }) => probe)).toEqual(['p1', 'p2']);
  });
});

describe('a line of another shape', () => {
  it.each([
    ['', 'nothing'],
    [`${LINE} `, 'something behind it'],
    [LINE.slice(0, -1), 'no end'],
    [LINE.replace('1500', '1500.0'), 'a fraction'],
    [LINE.replace('1500', '1e3'), 'an exponent'],
    [LINE.replace('1500', '1000000000000000'), '16 digits'],
    [LINE.replace('1500', '01'), 'a zero in front'],
    [LINE.replace('1500', '-0'), 'a negative zero'],
    [LINE.replace('1500', '-1'), 'a negative counter'],
    [LINE.replace('1500', '+1'), 'a plus'],
    [LINE.replace('1500', '"1"'), 'a number as text'],
    [LINE.replace('1500', ''), 'no number'],
    [LINE.replace('"2"', '" 2"'), 'a space in the id of a meter'],
    [LINE.replace('"2"', '"02"'), 'a zero in front of the id of a meter'],
    [LINE.replace('"2"', '"7"'), 'a meter that is not there'],
    [LINE.replace('"2"', '"0"'), 'a meter that takes no readings'],
    [LINE.replace('{"2":1500,"5":7}', '{}'), 'no values'],
    [LINE.replace('"count":3', '"count":0'), 'a count of 0'],
    [LINE.replace('"p1"', '" p1"'), 'a probe that is no name'],
    [LINE.replace('"p1"', 'null'), 'a probe that is null'],
    [LINE.replace('p1"', 'p1","label":"x"'), 'a label'],
    [LINE.replace('p1"', 'p1","ts":1700000000'), 'a field twice'],
    [LINE.replace('C0.', 'C0'), 'a key that is none'],
    [LINE.replace('C0.', '\\"0.'), 'a quotation mark in the key'],
    [LINE.replace('17000', '19000'), 'a time in the future'],
    [LINE.replace('{4CD', '{5CD'), 'a group that is not there'],
    [LINE.replace('"ts":1700000000,', ''), 'no time'],
    [LINE.replace('"key"', '"kay"'), 'an unknown field'],
    [LINE.replace('"ts":', '"ts":\t'), 'a tab'],
  ])('is left to the general parser: %j has %s', (line) => {
    expect(scanned(line)).toBeNull();
  });
});

describe('any line', () => {
  const character = fc.constantFrom(...'{}[]",:\\.-+ 0123456789aeg\t\0é'.split(''));
  const edit = fc.record({
    at: fc.nat({ max: LINE.length }),
    deleted: fc.nat({ max: 3 }),
    inserted: fc.string({ unit: character, maxLength: 3 }),
  });

  it('that is read without the general parser means the same to that', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        let line = LINE;
        for (const { at, deleted, inserted } of edits) {
          line = line.slice(0, at) + inserted + line.slice(at + deleted);
        }
        const result = scanned(line, [LINE]);
        if (result !== null) expect(result).toEqual(parsed(line));
      }),
      { numRuns: 3000 },
    );
  });

  it('that is made of the fields, in any order and number, means the same', () => {
    const field = fc.constantFrom(
      ...[`"group":"${HOSTS}"`, `"group": "${TEXTS}"`, '"key":"C0.A8.01.0A"', '"key":"a\\\\b"'],
      ...['"ts":1700000000', '"ts":-1', '"values":{"2":1}', '"values":{"5":-2,"12":3}'],
      ...['"count":2', '"probe":"p1"', '"probe":"a\\\\b"', '"other":{"a":[1]}'],
    );
    fc.assert(
      fc.property(fc.array(field, { minLength: 3, maxLength: 7 }), (fields) => {
        const line = `{${fields.join(',')}}`;
        const result = scanned(line, [LINE, withKey(TEXTS, 'a\\b')]);
        if (result !== null) expect(result).toEqual(parsed(line));
      }),
      { numRuns: 3000 },
    );
  });
});
