import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Given,
  HOSTS,
  host,
  labelsOf,
  PAIRS,
  READER,
  type Sending,
  STRANGER,
  sendKeys,
  setRole,
  startEditingLab,
} from '../support/lab/editing-lab.ts';
import { guidOf } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startEditingLab();
});

afterAll(() => lab.close());

async function update(keys: readonly Given[], guid = HOSTS) {
  const { data, errors } = await sendKeys(lab, keys, { guid });
  expect(errors).toBeUndefined();
  return data.updateKeys ?? [];
}

async function refusal(keys: readonly Given[], sending: Sending = {}) {
  const { status, data, errors = [] } = await sendKeys(lab, keys, sending);
  expect([status, data]).toEqual([200, { updateKeys: null }]);
  return errors.map(({ message, extensions }) => [extensions.code, message]);
}

describe('updateKeys', () => {
  it('returns the changed keys in the order in which they were given', async () => {
    const keys = await update([
      { key: '10.0.0.2', label: 'scanner' },
      {
        key: host(1),
        label: 'printer',
        description: 'second floor',
        attributes: [
          { name: 'owner', value: 'facilities' },
          { name: 'asset', value: '4711' },
        ],
      },
    ]);
    expect(keys).toEqual([
      {
        key: host(2),
        readable: '10.0.0.2',
        label: 'scanner',
        description: null,
        attributes: [],
      },
      {
        key: host(1),
        readable: '10.0.0.1',
        label: 'printer',
        description: 'second floor',
        attributes: [
          { name: 'asset', value: '4711' },
          { name: 'owner', value: 'facilities' },
        ],
      },
    ]);
  });

  it('keeps fields that are omitted, and removes those that are null or empty', async () => {
    const attributes = [{ name: 'a', value: 'b' }];
    await update([{ key: host(3), label: 'L', description: 'D', attributes }]);
    expect(await update([{ key: host(3), label: 'M' }])).toMatchObject([
      { label: 'M', description: 'D', attributes },
    ]);
    expect(await update([{ key: host(3), label: '', description: null }])).toMatchObject([
      { label: '10.0.0.3', description: null, attributes },
    ]);
    const others = [
      { name: 'c', value: 'd' },
      { name: 'e', value: '' },
    ];
    expect(await update([{ key: host(3), attributes: others }])).toMatchObject([
      { attributes: [{ name: 'c', value: 'd' }] },
    ]);
    expect(await update([{ key: host(3), attributes: [] }])).toMatchObject([{ attributes: [] }]);
    expect(await lab.sql('select from key_texts where key = $1', [host(3)])).toEqual([]);
  });

  it('accepts texts in any language, and names that are special in JavaScript', async () => {
    const label = '🖨 Drucker – 打印机 «é»';
    const attributes = ['__proto__', 'constructor'].map((name) => ({ name, value: label }));
    expect(await update([{ key: host(4), label, attributes }])).toMatchObject([
      { label, attributes },
    ]);
    expect(await labelsOf(lab, [host(4)])).toEqual([label]);
  });

  it('accepts cross-keys, raw and readable', async () => {
    const raw = `${host(1)}\\${host(2)}`;
    const other = `${host(3)}\\${host(4)}`;
    expect(
      await update(
        [
          { key: raw, label: 'backup' },
          { key: '10.0.0.3\\10.0.0.4', label: 'sync' },
        ],
        PAIRS,
      ),
    ).toMatchObject([
      { key: raw, label: 'backup' },
      { key: other, label: 'sync' },
    ]);
  });

  it('changes nothing if there are no keys', async () => {
    expect(await update([])).toEqual([]);
  });

  it('accepts 1,000 keys, and texts of the greatest length', async () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => ({ key: host(i), label: `host ${i}` }));
    expect(await update(keys)).toHaveLength(1_000);
    expect(await labelsOf(lab, [host(0), host(999)])).toEqual(['host 0', 'host 999']);
    const attributes = Array.from({ length: 100 }, (_, i) => ({
      name: `${i}`.padStart(200),
      value: 'v',
    }));
    const longest = { label: '🖨'.repeat(1_000), description: 'd'.repeat(10_000), attributes };
    expect(await update([{ key: host(5), ...longest }])).toMatchObject([longest]);
  });
});

describe('updateKeys refuses, and changes nothing, given', () => {
  const good = { key: host(6), label: 'changed' };

  it.each([
    [
      'text that is not a key',
      [good, { key: 'printer' }],
      'keys[1].key must be a key of Hosts, got "printer"',
    ],
    [
      'a key given twice, in raw and in readable form',
      [good, { key: '10.0.0.6', label: 'again' }],
      'keys[1].key must be a key that is not given twice, got "10.0.0.6"',
    ],
    [
      'a label that is too long',
      [good, { key: host(7), label: 'x'.repeat(1_001) }],
      /^keys\[1\]\.label must be a text of at most 1000 characters/,
    ],
    [
      'a description that is too long',
      [good, { key: host(7), description: 'x'.repeat(10_001) }],
      /^keys\[1\]\.description must be a text of at most 10000 characters/,
    ],
    ['NUL in a label', [good, { key: host(7), label: 'a\0b' }], /^keys\[1\]\.label must be a text/],
    [
      'half of a surrogate pair in a description',
      [good, { key: host(7), description: '\ud83d' }],
      /^keys\[1\]\.description/,
    ],
    [
      'an attribute without a name',
      [good, { key: host(7), attributes: [{ name: '', value: 'v' }] }],
      'keys[1].attributes[0].name must be a text that is not empty, got ""',
    ],
    [
      'an attribute given twice',
      [good, { key: host(7), attributes: [1, 2].map((n) => ({ name: 'a', value: `${n}` })) }],
      'keys[1].attributes[1].name must be one that is not given twice, got "a"',
    ],
    [
      'more than 100 attributes',
      [
        good,
        {
          key: host(7),
          attributes: Array.from({ length: 101 }, (_, i) => ({ name: `${i}`, value: 'v' })),
        },
      ],
      'keys[1].attributes must be a list of at most 100 attributes, got 101',
    ],
    [
      '1,001 keys',
      Array.from({ length: 1_001 }, (_, i) => ({ key: host(i), label: 'changed' })),
      'keys must be a list of at most 1000 keys, got 1001',
    ],
  ] satisfies [string, Given[], string | RegExp][])('%s', async (_, keys, message) => {
    const [before] = await labelsOf(lab, [host(6)]);
    const told = typeof message === 'string' ? message : expect.stringMatching(message);
    expect(await refusal(keys)).toEqual([['BAD_USER_INPUT', told]]);
    expect(await labelsOf(lab, [host(6)])).toEqual([before]);
  });
});

describe('updateKeys called by', () => {
  const keys = [{ key: host(8), label: 'mine' }];

  it('a reader is FORBIDDEN', async () => {
    const message = 'User rita needs the role editor to change context lab';
    expect(await refusal(keys, { as: READER })).toEqual([['FORBIDDEN', message]]);
    // Another error would reveal what exists.
    expect(await refusal(keys, { as: READER, guid: guidOf(77) })).toEqual([['FORBIDDEN', message]]);
  });

  it('a user without a grant is null, as for a context or group that does not exist', async () => {
    expect(await refusal(keys, { as: STRANGER })).toEqual([]);
    expect(await refusal(keys, { context: 'none' })).toEqual([]);
    expect(await refusal(keys, { guid: guidOf(77) })).toEqual([]);
    expect(await refusal(keys, { guid: guidOf(3) })).toEqual([]);
  });

  it('an unauthenticated caller is 401', async () => {
    const { status, errors } = await lab.graphql(
      `mutation { updateKeys(context: "lab", counterGroup: "${HOSTS}", keys: []) { key } }`,
      {},
      {},
    );
    expect([status, errors?.[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('a user who has lost the role is FORBIDDEN at once, and the graph says so', async () => {
    const query = '{ viewer { contexts { name } editableContexts { name } } }';
    const mine = [{ name: 'lab' }];
    expect(await lab.data(query)).toEqual({ viewer: { contexts: mine, editableContexts: mine } });
    await setRole(lab, 'reader');
    expect(await refusal(keys)).toEqual([
      ['FORBIDDEN', 'User ada needs the role editor to change context lab'],
    ]);
    expect(await lab.data(query)).toEqual({ viewer: { contexts: mine, editableContexts: [] } });
    await setRole(lab, 'editor', ADA);
    expect((await update(keys))[0]).toMatchObject({ label: 'mine' });
  });
});

describe('the log', () => {
  it('says who changed which fields of what, but not to which values', async () => {
    const attributes = [{ name: 'community', value: 'hunter2' }];
    await update([
      { key: host(9), label: 'hush', attributes },
      { key: host(10), description: null },
    ]);
    await refusal([{ key: host(9), label: 'hush' }], { as: READER });
    const lines = lab
      .logText()
      .split('\n')
      .filter((line) => line.includes('a change was'))
      .map((line) => JSON.parse(line));
    expect(lines.slice(-2)).toEqual([
      expect.objectContaining({
        msg: 'a change was made',
        mutation: 'updateKeys',
        user: 'ada',
        context: 'lab',
        keys: [
          { key: host(9), fields: ['label', 'attributes'] },
          { key: host(10), fields: ['description'] },
        ],
        group: HOSTS,
        changed: 1,
        requestId: expect.any(String),
        time: expect.any(Number),
      }),
      expect.objectContaining({
        msg: 'a change was refused',
        mutation: 'updateKeys',
        user: 'rita',
        context: 'lab',
        refused: true,
      }),
    ]);
    expect(lab.logText()).not.toMatch(/hush|hunter2/);
  });
});
