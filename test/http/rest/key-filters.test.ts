import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';

const [HOSTS, TEXTS, PAIRS, NAMES] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];

const WINDOW = { window_fromts: T0, window_seconds: 60 };

const ADDRESSES = ['C0.A8.01.0A', 'C0.A8.01.64', 'C0.A8.11.01', '0A.C0.A8.01'];
const WORDS = ['Alpha', 'alpha', 'beta', 'a.b', 'aab', 'été', 'x\\y', '日本'];

let lab: TestService;

beforeAll(async () => {
  const lines = (guid: string, keys: readonly string[]) =>
    keys.map((key, i) => ({ group: guid, key, ts: T0, values: { 0: 2 ** (10 - i) } }));
  lab = await startLab({
    groups: [
      group(1, { key_kind: 'ipv4' }),
      group(2),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: NAMES },
      }),
      group(4),
    ],
    lines: [
      ...lines(HOSTS, ADDRESSES),
      ...lines(TEXTS, WORDS),
      ...lines(PAIRS, ['C0.A8.01.0A\\http', 'C0.A8.01.0A\\a\\\\b', 'C0.A8.01.64\\http']),
    ],
  });
});

afterAll(() => lab.close());

const keysOf = async (counter_group: string, parameters: RestParameters): Promise<string[]> => {
  const { keys } = await lab.topper({ ...WINDOW, counter_group, ...parameters });
  return keys.map(({ key }) => key);
};

describe('key_filter and inverse_key_filter (decision 26)', () => {
  it.each([
    ['^C0\\.A8\\.01\\.', [0, 1]],
    ['C0\\.A8\\.01', [0, 1, 3]],
    ['C0.A8.?', [0, 1, 2, 3]],
    ['01$', [2, 3]],
    ['0A|11', [0, 2, 3]],
    ['c0', []],
    ['(?i)c0\\.a8\\.11', [2]],
    ['^(C0|0A)\\.[[:xdigit:]]{2}\\.01\\.', [0, 1]],
    ['', [0, 1, 2, 3]],
  ])('key_filter %s is searched for anywhere in the raw key', async (key_filter, expected) => {
    expect(await keysOf(HOSTS, { key_filter })).toEqual(expected.map((i) => ADDRESSES[i]));
  });

  it.each([
    ['^a', ['alpha', 'a.b', 'aab']],
    ['a.b', ['a.b', 'aab']],
    ['a\\.b', ['a.b']],
    ['\\Qa.b\\E', ['a.b']],
    ['^\\p{Lu}', ['Alpha']],
    ['^\\p{Han}+$', ['日本']],
    ['^..$', ['日本']],
    ['^...$', ['a.b', 'aab', 'été', 'x\\y']],
    ['\\\\', ['x\\y']],
    ['(?P<first>a)ab', ['aab']],
    ['\\x{e9}', ['été']],
    ['\\z', WORDS],
  ])('key_filter %s has the syntax of RE2', async (key_filter, expected) => {
    expect(await keysOf(TEXTS, { key_filter })).toEqual(expected);
  });

  it('inverse_key_filter leaves out the keys that it matches', async () => {
    expect(await keysOf(HOSTS, { inverse_key_filter: '^C0' })).toEqual([ADDRESSES[3]]);
    expect(await keysOf(HOSTS, { inverse_key_filter: '.' })).toEqual([]);
  });

  it('may be given together: both apply', async () => {
    const both = { key_filter: '^C0', inverse_key_filter: '\\.64$' };
    expect(await keysOf(HOSTS, both)).toEqual([ADDRESSES[0], ADDRESSES[2]]);
  });

  it('are applied before maxitems, and not to sysgrouptotal (decision 25)', async () => {
    const asked = { ...WINDOW, counter_group: HOSTS, resolve_keys: false };
    const all = 1024 + 512 + 256 + 128;
    expect(await lab.topper({ ...asked, maxitems: 1, key_filter: '11|^0A' })).toEqual({
      counter_group: HOSTS,
      meter: 0,
      sysgrouptotal: all - 256,
      keys: [{ key: ADDRESSES[2], metric: 256 }],
    });
    expect(await lab.topper({ ...asked, key_filter: 'nothing' })).toEqual({
      counter_group: HOSTS,
      meter: 0,
      sysgrouptotal: all,
      keys: [],
    });
  });

  it('find the first part of a cross-key by ^<key>\\\\', async () => {
    expect(await keysOf(PAIRS, { key_filter: '^C0\\.A8\\.01\\.0A\\\\' })).toEqual([
      'C0.A8.01.0A\\http',
      'C0.A8.01.0A\\a\\\\b',
    ]);
    expect(await keysOf(PAIRS, { key_filter: '\\\\http$' })).toEqual([
      'C0.A8.01.0A\\http',
      'C0.A8.01.64\\http',
    ]);
  });

  it.each([
    ['(', 1],
    ['a)', 1],
    ['abc(', 3],
    ['[a', 0],
    ['a**', 1],
    ['*a', 0],
    ['(a)\\1', 3],
    ['(?=a)', 0],
    ['(?<!a)b', 0],
    ['\\', 0],
    ['x{1001}', 1],
    ['\\p{Klingon}', 0],
    ['(?P<n>a)(?P<n>b)', 0],
  ])('refuse %s, saying where it does not compile', async (pattern) => {
    for (const name of ['key_filter', 'inverse_key_filter']) {
      const asked = { ...WINDOW, counter_group: TEXTS, [name]: pattern };
      const [status, message] = await lab.refusal('topper', asked);
      expect(message).toMatch(new RegExp(`^${name} must be .*\\d.*`));
      expect(message).toMatch(/\b(position|character|column|offset|at) \d+/);
      expect(status).toBe(400);
    }
  });

  it('never hang the server: matching takes linear time', async () => {
    const key = 'a'.repeat(500);
    await lab.importSamples([{ group: TEXTS, key, ts: T0 + 60, values: { 0: 1 } }]);
    const window = { window_fromts: T0 + 60, window_seconds: 60 };
    for (const key_filter of ['(a+)+b', '(a|aa)+$b', '(.*)*(.*)*(.*)*x', '(a?){500}a{500}b']) {
      expect(await keysOf(TEXTS, { ...window, key_filter })).toEqual([]);
    }
  });
});
