import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyKind } from '../../../domain/keys/key-kind.ts';
import type { Guid } from '../../../domain/text/guid.ts';
import { aggregateOf } from '../../../domain/toppers/meter-type.ts';
import type { ImportGroup } from '../../../ingest/import-group.ts';
import { BadLine } from '../../../ingest/lines/bad-line.ts';
import { createByteSamples } from '../../../ingest/samples/byte-samples.ts';
import { parseSampleLine } from '../../../ingest/samples/sample-line.ts';
import { SegmentBatch } from '../../../ingest/segments/segment-batch.ts';
import { timeBounds } from '../../../ingest/time-bounds.ts';
import { laneValue } from '../../../segments/codes/lanes.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';
import { groupOf } from '../plain-group.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid;
const TEXTS = '{11111111-2222-3333-4444-555555555555}' as Guid;
const PAIRS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}' as Guid;

/** Its meters: 0 takes no readings, 2 is a counter, 5 a mean, 12 a minimum. */
function group(groupId: number, guid: Guid, keyKind: KeyKind): ImportGroup {
  const meters = [2, 5, 12, 0].map((type, i) => ({
    id: type,
    type,
    meterIndex: i,
    aggregate: aggregateOf(type),
  }));
  return {
    ...groupOf([], groupId),
    guid,
    keyKind,
    aggregates: meters.map(({ aggregate }) => aggregate),
    meters: new Map(meters.map((meter) => [meter.id, meter])),
    partKinds: keyKind === 'crosskey' ? ['ip', 'text'] : [],
  };
}

const groups = new Map([
  [HOSTS, group(1, HOSTS, 'ip')],
  [TEXTS, group(2, TEXTS, 'text')],
  [PAIRS, group(3, PAIRS, 'crosskey')],
]);
const context = { groups, bounds: timeBounds(1_800_000_000) };

const LINE =
  '{"group":"{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}","key":"C0.A8.01.0A","ts":1700000000,' +
  '"values":{"2":1500,"5":7},"count":3,"probe":"p1"}';

/** Everything that a batch holds, by place, as plain values. */
const contentOf = (batch: SegmentBatch): unknown =>
  batch
    .segments()
    .filter(({ readings }) => readings.rowCount > 0)
    .map(({ group: { guid }, probe, sliceStart, codec, readings }) => ({
      guid,
      probe,
      sliceStart,
      ranges: [...readings.ranges()].map(({ keys, readings: rows }) => ({
        keys: Array.from({ length: keys.count }, (_, i) => codec.decode(keyAt(keys, i))),
        starts: [...rows.starts],
        values: rows.columns.map((column) =>
          column && Number.isNaN(column.values.low[0])
            ? null
            : column && laneValue(column.values, 0),
        ),
        counts: rows.columns.map((column) => column?.counts && laneValue(column.counts, 0)),
      })),
    }));

/** What the bytes of a line add to a batch; null: the line is left to `parseSampleLine`. */
function scanned(line: string): unknown {
  const add = createByteSamples({ ...context, probe: null });
  const batch = new SegmentBatch(86_400, 1_800_000_000);
  const bytes = Buffer.from(`before${line}behind`);
  const isAdded = add(batch, { bytes, from: 6, to: bytes.length - 6 });
  if (isAdded) return contentOf(batch);
  expect(batch.rowCount).toBe(0);
  return null;
}

/** What `parseSampleLine` makes of a line; a bad one throws. */
function parsed(line: string): unknown {
  const { readings: values, ...sample } = parseSampleLine(context, line);
  const batch = new SegmentBatch(86_400, 1_800_000_000);
  batch.add({ ...sample, values });
  return contentOf(batch);
}

const withKey = (guid: Guid, key: string): string =>
  JSON.stringify({ group: guid, key, ts: 1_700_000_000, values: { 2: 1 } });

describe('the bytes of a line of the usual shape', () => {
  it.each([
    ['with all fields', LINE],
    ['with spaces', LINE.replaceAll(':', ': ').replaceAll(',', ', ').replace('{"2', '{ "2')],
    ['without count and probe', LINE.replace(/,"count.*/, '}')],
    ['whose fields come in another order', `{"count":3,${LINE.slice(1).replace(/,"count.*/, '}')}`],
    ['with a GUID in lower case', LINE.replace(HOSTS, HOSTS.toLowerCase())],
    ['with a key in lower case', LINE.replace('C0.A8', 'c0.a8')],
    ['with a value of 15 digits', LINE.replace('1500', '999999999999999')],
    ['with a negative mean', LINE.replace('"5":7', '"5":-7')],
    ['that gives a value twice', LINE.replace('"5":7', '"5":7,"2":8')],
    ['with a text key', withKey(TEXTS, "söme 'téxt' 😀")],
    ['with a text key that has backslashes', withKey(TEXTS, 'a\\b\\\\')],
    ['with a cross-key', withKey(PAIRS, 'C0.A8.01.0A\\a\\\\b')],
  ])('%s are read without making strings, with the same result', (_, line) => {
    expect(scanned(line)).not.toBeNull();
    expect(scanned(line)).toEqual(parsed(line));
  });
});

const pieces = fc.constantFrom(
  '"',
  '\\',
  '\\\\',
  '\\u0043',
  '{',
  '}',
  ',',
  ':',
  ' ',
  '0',
  '-',
  '1',
  '.',
  'é',
  '\u0000',
  '"ts":1',
  '"values":{}',
  '"probe":"é"',
  '"count":0',
  '999999999999999',
  '1e3',
  'null',
  '\t',
);

const lines = fc.constantFrom(
  LINE,
  LINE.replace(/,"count.*/, '}'),
  withKey(TEXTS, 'a\\b'),
  withKey(PAIRS, 'C0.A8.01.0A\\a\\\\b'),
);

describe('the bytes of any line', () => {
  it('are left to parseSampleLine, or read with the same result', () => {
    let read = 0;
    fc.assert(
      fc.property(
        lines,
        fc.nat(),
        fc.nat({ max: 4 }),
        fc.option(pieces),
        (line, where, removed, piece) => {
          const at = where % (line.length + 1);
          const other = `${line.slice(0, at)}${piece ?? ''}${line.slice(at + removed)}`;
          const found = scanned(other);
          if (found === null) return;
          read += 1;
          expect(found).toEqual(parsed(other));
        },
      ),
      { numRuns: 3000 },
    );
    // Otherwise the property would have shown nothing.
    expect(read).toBeGreaterThan(50);
  });

  it('that are not UTF-8 are left to parseSampleLine, in a key and in a probe', () => {
    const add = createByteSamples({ ...context, probe: null });
    for (const line of [LINE.replace('p1', 'p~'), withKey(TEXTS, 'a~b')]) {
      const bytes = Buffer.from(line);
      bytes[bytes.indexOf('~')] = 0xff;
      expect(
        add(new SegmentBatch(86_400, 1_800_000_000), { bytes, from: 0, to: bytes.length }),
      ).toBe(false);
    }
  });

  it('of a bad key are refused by parseSampleLine', () => {
    const line = LINE.replace('C0.', 'C0');
    expect(scanned(line)).toBeNull();
    expect(() => parsed(line)).toThrow(BadLine);
  });
});
