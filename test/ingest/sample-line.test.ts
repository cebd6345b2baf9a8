import { describe, expect, it } from 'vitest';
import type { KeyKind } from '../../domain/keys/key-kind.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { aggregateOf } from '../../domain/toppers/meter-type.ts';
import type { ImportGroup } from '../../ingest/import-group.ts';
import { BadLine } from '../../ingest/lines/bad-line.ts';
import { parseSampleLine } from '../../ingest/samples/sample-line.ts';
import { timeBounds } from '../../ingest/time-bounds.ts';

const NOW = 1_800_000_000;

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}' as Guid;
const PAIRS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}' as Guid;

/** A group in which meter n has type n and index n. */
function group(
  guid: Guid,
  keyKind: KeyKind,
  partKinds: ImportGroup['partKinds'] = [],
): ImportGroup {
  const types = Array.from({ length: 13 }, (_, type) => type);
  const meters = types.map((type) => ({
    id: type,
    type,
    meterIndex: type,
    aggregate: aggregateOf(type),
  }));
  return {
    groupId: 1,
    keysGroupId: 1,
    guid,
    keyKind,
    bucketSeconds: 60,
    topperBucketSeconds: 300,
    meters: new Map(meters.map((meter) => [meter.id, meter])),
    aggregates: meters.map(({ aggregate }) => aggregate),
    partGuids: partKinds.map(() => HOSTS),
    partKinds,
  };
}

const context = {
  groups: new Map([
    [HOSTS, group(HOSTS, 'ip')],
    [PAIRS, group(PAIRS, 'crosskey', ['ip', 'text'])],
  ]),
  bounds: timeBounds(NOW),
};

const LINE = { group: HOSTS, key: 'C0.A8.01.0A', ts: 1_700_000_000, values: { 2: 1500 } };

const parse = (line: string) => parseSampleLine(context, line);
const parseWith = (changes: object) => parse(JSON.stringify({ ...LINE, ...changes }));

describe('a line of the samples format', () => {
  it('assigns its reading to the bucket that contains its time', () => {
    expect(parseWith({})).toMatchObject({
      key: { text: 'C0.A8.01.0A', parts: null },
      bucket: 1_699_999_980,
      probe: null,
      count: 1,
      texts: null,
    });
    expect(parseWith({ ts: 1_699_999_980 }).bucket).toBe(1_699_999_980);
    expect(parseWith({ ts: 1_700_000_039 }).bucket).toBe(1_699_999_980);
    expect(parseWith({ ts: 1_700_000_040 }).bucket).toBe(1_700_000_040);
  });

  it('puts values into the slots of their meters, and null into the others', () => {
    expect(parseWith({ values: { 2: 7, 12: -3 } }).readings).toEqual([
      null,
      null,
      7,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      -3,
    ]);
  });

  it('accepts the GUID in any case and without braces, and the key in any case', () => {
    const sample = parseWith({ group: HOSTS.slice(1, -1).toLowerCase(), key: 'c0.a8.01.0a' });
    expect([sample.group.guid, sample.key.text]).toEqual([HOSTS, 'C0.A8.01.0A']);
  });

  it('gives the parts of a cross-key unescaped', () => {
    const { key } = parseWith({ group: PAIRS, key: 'c0.a8.01.0a\\a\\\\b' });
    expect(key).toEqual({ text: 'C0.A8.01.0A\\a\\\\b', parts: ['C0.A8.01.0A', 'a\\b'] });
  });

  it('accepts a probe, count, label, description and attributes, and ignores other fields', () => {
    const sample = parseWith({
      probe: 'p1',
      count: 3,
      label: 'alpha',
      description: '',
      attributes: { rack: 7, up: true, vendor: 'x', none: null },
      comment: { any: ['thing'] },
    });
    expect(sample).toMatchObject({ probe: 'p1', count: 3 });
    expect(sample.texts).toEqual({
      label: 'alpha',
      description: null,
      attributes: { rack: '7', up: 'true', vendor: 'x' },
    });
    expect(parseWith({ attributes: {} }).texts).toEqual({
      label: undefined,
      description: undefined,
      attributes: null,
    });
  });

  it('treats null in an optional field as absent', () => {
    const sample = parseWith({ probe: null, count: null, label: null, attributes: null });
    expect(sample).toMatchObject({ probe: null, count: 1, texts: null });
  });

  it.each([
    ['0', 0],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['1500.0', 1500],
    ['1.5e3', 1500],
    ['1e18', 10n ** 18n],
    ['123456789012345.000e1', 1_234_567_890_123_450],
  ])('reads the counter value %s without rounding', (text, expected) => {
    const line = JSON.stringify(LINE).replace('1500', text);
    expect(parse(line).readings[2]).toBe(expected);
  });

  it('reads means, maxima and minima of both signs', () => {
    for (const meter of [5, 6, 7, 8, 9, 11, 12]) {
      const line = JSON.stringify(LINE).replace('"2":1500', `"${meter}":-9223372036854775807`);
      expect(parse(line).readings[meter]).toBe(-(2n ** 63n) + 1n);
    }
  });

  it('keeps the text of long numbers in attributes', () => {
    const line = JSON.stringify(LINE).replace(
      /}$/,
      ',"attributes":{"serial":12345678901234567890}}',
    );
    expect(parse(line).texts?.attributes).toEqual({ serial: '12345678901234567890' });
  });

  const RANGE = (meter: number, least: string, given: string) =>
    `the value of meter ${meter} must be an integer from ${least} to 2^63-1, got ${given}`;

  it.each<[object | string, string]>([
    ['', 'it must be a JSON object, got ""'],
    ['[1]', 'it must be a JSON object, got "[1]"'],
    ['{"group":', 'it must be a JSON object, got "{\\"group\\":"'],
    [{ group: undefined }, 'group must be a text, got nothing'],
    [{ group: 7 }, 'group must be a text, got 7'],
    [{ group: 'Hosts' }, 'group must be a GUID in braces, got "Hosts"'],
    [
      { group: '{00000000-0000-0000-0000-000000000000}' },
      'group must be one that the context declares, got {00000000-0000-0000-0000-000000000000}',
    ],
    [{ key: undefined }, 'key must be a text, got nothing'],
    [{ key: 12 }, 'key must be a text, got 12'],
    [{ key: '192.168.1.10' }, 'key must be a raw key of kind ip, got "192.168.1.10"'],
    [{ key: '00.50' }, 'key must be a raw key of kind ip, got "00.50"'],
    [{ group: PAIRS }, 'key must be a raw key of the form ip\\text, got "C0.A8.01.0A"'],
    [
      { group: PAIRS, key: '00.50\\a' },
      'key must be a raw key of the form ip\\text, got "00.50\\\\a"',
    ],
    [{ ts: undefined }, 'ts must be an integer, got nothing'],
    [{ ts: '1700000000' }, 'ts must be an integer, got "1700000000"'],
    [{ ts: 1.5 }, 'ts must be an integer, got 1.5'],
    [{ ts: 631_151_999 }, 'ts is before 1990: 631151999 (1989-12-31T23:59:59Z)'],
    [{ ts: NOW + 86_401 }, `ts is more than a day in the future: ${NOW + 86_401}`],
    [{ values: undefined }, 'values must be an object of at least one meter, got nothing'],
    [{ values: {} }, 'values must be an object of at least one meter, got {}'],
    [{ values: [1] }, 'values must be an object of at least one meter, got [1]'],
    [{ values: { 13: 1 } }, `group ${HOSTS} has no meter "13"`],
    [{ values: { '-1': 1 } }, `group ${HOSTS} has no meter "-1"`],
    [{ values: { total: 1 } }, `group ${HOSTS} has no meter "total"`],
    [{ values: { 0: 1 } }, 'meter 0 is of type 0 (VT_INVALID), which takes no readings'],
    [{ values: { 2: 1.5 } }, RANGE(2, '0', '1.5')],
    [{ values: { 2: '5' } }, RANGE(2, '0', '"5"')],
    [{ values: { 2: null } }, RANGE(2, '0', 'null')],
    [{ values: { 2: {} } }, RANGE(2, '0', '{}')],
    [{ values: { 1: -1 } }, RANGE(1, '0', '-1')],
    [{ values: { 10: -1 } }, RANGE(10, '0', '-1')],
    ['"2":9223372036854775808', RANGE(2, '0', '9223372036854775808')],
    ['"5":-9223372036854775808', RANGE(5, '-(2^63-1)', '-9223372036854775808')],
    ['"2":999999999999999.99', RANGE(2, '0', '999999999999999.99')],
    [{ count: 0 }, 'count must be an integer from 1 to 2^63-1, got 0'],
    [{ count: 1.5 }, 'count must be an integer from 1 to 2^63-1, got 1.5'],
    [{ count: '2' }, 'count must be an integer from 1 to 2^63-1, got "2"'],
    [
      { probe: '' },
      'probe must be a name of 1 to 200 characters without control characters and without blanks at its ends, got ""',
    ],
    [
      { probe: 7 },
      'probe must be a name of 1 to 200 characters without control characters and without blanks at its ends, got 7',
    ],
    [{ probe: 'p'.repeat(201) }, 'probe must be a name of 1 to 200 characters'],
    [{ label: 7 }, 'label must be a valid Unicode text without NUL characters'],
    [{ label: 'a\0b' }, 'label must be a valid Unicode text without NUL characters'],
    [{ description: '\ud800' }, 'description must be a valid Unicode text without NUL characters'],
    [{ attributes: 'x' }, 'attributes must be an object'],
    [{ attributes: { a: { b: 1 } } }, 'attributes must be texts, numbers or booleans'],
    [{ attributes: { a: [1] } }, 'attributes must be texts, numbers or booleans'],
    [{ attributes: { a: '\0' } }, 'attributes must be texts, numbers or booleans'],
  ])('with %j is bad: %s', (changes, reason) => {
    const isValues = typeof changes === 'string' && /^"\d/.test(changes);
    const line = isValues ? JSON.stringify(LINE).replace('"2":1500', changes) : changes;
    const read = () => (typeof line === 'string' ? parse(line) : parseWith(line));
    expect(read).toThrow(BadLine);
    expect(read).toThrow(reason);
  });

  it('may be from 1990, and from up to a day in the future', () => {
    expect(parseWith({ ts: 631_152_000 }).bucket).toBe(631_152_000);
    expect(parseWith({ ts: NOW + 86_400 }).bucket).toBe(NOW + 86_400);
  });
});
