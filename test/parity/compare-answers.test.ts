import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { AnswerKind } from '../../parity/answer-fields.ts';
import { compareAnswers } from '../../parity/compare-answers.ts';

/** Returns each difference as `field of what: legacy, ours`. */
const differences = (kind: AnswerKind, legacy: string, ours: string): string[] =>
  compareAnswers(kind, { legacy: parse(legacy), ours: parse(ours) }).map(
    ({ field, at, legacy: theirs, ours: own }) =>
      `${field}${at && ` of ${at}`}: ${theirs ?? 'absent'}, ${own ?? 'absent'}`,
  );

const key = (name: string, more = '') => `{"key":"${name}","metric":5${more}}`;
const topper = (...keys: string[]) =>
  `{"counter_group":"{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}","meter":0,"sysgrouptotal":7,"keys":[${keys}]}`;

describe('answers count as the same', () => {
  it.each([
    ['if they are identical', topper(key('A'), key('B')), topper(key('A'), key('B'))],
    [
      'with fields in another order',
      '{"meter":0,"sysgrouptotal":1}',
      '{"sysgrouptotal":1,"meter":0}',
    ],
    [
      'with a GUID in another case, without braces',
      '{"counter_group":"{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}"}',
      '{"counter_group":"4cd742b1-c1ca-4708-be78-0fca2eb01a86"}',
    ],
    ['with a number written in another way', '{"sysgrouptotal":10}', '{"sysgrouptotal":1.0e1}'],
    ['with null in an optional field', topper(key('A', ',"description":null')), topper(key('A'))],
    ['with an empty optional field', topper(key('A')), topper(key('A', ',"description":""'))],
    ['with an empty optional list', topper(key('A', ',"attributes":[]')), topper(key('A'))],
    [
      'with an empty optional object',
      '{"group_details":[{"guid":"x","crosskey":{}}]}',
      '{"group_details":[{"guid":"x"}]}',
    ],
  ])('%s', (_, legacy, ours) => {
    expect(differences('topper', legacy, ours)).toEqual([]);
    expect(differences('topper', ours, legacy)).toEqual([]);
  });
});

const GROUP =
  '{"guid":"{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}","name":"Hosts","bucket_size":60,"meters":[{"id":0,"type":2}]}';

const CASES: readonly [what: string, kind: AnswerKind, string, string, readonly string[]][] = [
  [
    'a number beyond 2^53 that differs in its last digit',
    'topper',
    '{"sysgrouptotal":12345678901234567890}',
    '{"sysgrouptotal":12345678901234567891}',
    ['sysgrouptotal: 12345678901234567890, 12345678901234567891'],
  ],
  [
    'a number that is a string in the other',
    'topper',
    '{"sysgrouptotal":1}',
    '{"sysgrouptotal":"1"}',
    ['sysgrouptotal: 1, "1"'],
  ],
  [
    'a string',
    'topper',
    topper(key('A', ',"label":"a"')),
    topper(key('A', ',"label":"b"')),
    ['keys.label of A: "a", "b"'],
  ],
  [
    'a field that only one has',
    'topper',
    topper(key('A', ',"label":"a"')),
    topper(key('A')),
    ['keys.label of A: "a", absent'],
  ],
  [
    'a field that is not in the specification',
    'topper',
    topper(key('A')),
    topper(key('A', ',"colour":1')),
    ['keys.colour of A: absent, 1'],
  ],
  [
    'a required field that is empty in one and absent in the other',
    'topper',
    '{"keys":[]}',
    '{}',
    ['keys: [], absent'],
  ],
  [
    'a key that is missing',
    'topper',
    topper(key('A'), key('B'), key('C')),
    topper(key('A'), key('C')),
    [`keys of B: ${key('B')}, absent`],
  ],
  [
    'an additional key',
    'topper',
    topper(key('A')),
    topper(key('A'), key('B')),
    [`keys of B: absent, ${key('B')}`],
  ],
  [
    'keys in another order',
    'topper',
    topper(key('A'), key('B')),
    topper(key('B'), key('A')),
    ['keys.order: ["A","B"], ["B","A"]'],
  ],
  [
    'a key that is listed twice',
    'topper',
    topper(key('A'), key('A')),
    topper(key('A')),
    [`keys of [1]: ${key('A')}, absent`],
  ],
  [
    'a percentile, with its rank',
    'topper',
    topper(key('A', ',"percentiles":[{"rank":50,"value":1},{"rank":95,"value":2}]')),
    topper(key('A', ',"percentiles":[{"rank":50,"value":1},{"rank":95,"value":3}]')),
    ['keys.percentiles.value of A 95: 2, 3'],
  ],
  [
    'a meter within its group',
    'groups',
    `{"group_details":[${GROUP}]}`,
    `{"group_details":[${GROUP.replace('"type":2', '"type":4')}]}`,
    ['group_details.meters.type of {4CD742B1-C1CA-4708-BE78-0FCA2EB01A86} 0: 2, 4'],
  ],
  [
    'the words of an error',
    'error',
    '{"status":"ERROR","message":"Invalid API token"}',
    '{"status":"ERROR","message":"No"}',
    ['message: "Invalid API token", "No"'],
  ],
  [
    'a list that is an object in the other',
    'topper',
    '{"keys":[]}',
    '{"keys":{}}',
    ['keys: [], {}'],
  ],
  ['a body of another form', 'topper', '[]', '{"keys":[]}', ['body: [], {"keys":[]}']],
  [
    'true and "true"',
    'slices',
    '{"ha_slave_mode":true}',
    '{"ha_slave_mode":"true"}',
    ['ha_slave_mode: true, "true"'],
  ],
  [
    'tags in another order',
    'slices',
    '{"slices":[{"name":"s","tags":["a","b"]}]}',
    '{"slices":[{"name":"s","tags":["b","a"]}]}',
    ['slices.tags of s [0]: "a", "b"', 'slices.tags of s [1]: "b", "a"'],
  ],
];

describe('a difference is reported', () => {
  it.each(CASES)('of %s', (_, kind, legacy, ours, expected) => {
    expect(differences(kind, legacy, ours)).toEqual(expected);
  });
});
