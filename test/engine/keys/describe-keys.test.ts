import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReadSession } from '../../../db/session/read-session.ts';
import { selectLabelledKeys, upsertKeyTexts } from '../../../db/sql/key-texts.ts';
import { describeKeys } from '../../../engine/keys/describe-keys.ts';
import { openStoreLab, type StoreLab } from '../../store/store-lab.ts';

let lab: StoreLab;
let statements = 0;

/** The lab's reader, with a count of its statements. */
const session: Pick<ReadSession, 'read'> = {
  async read<Row>({ text, values = [] }: { text: string; values?: readonly unknown[] }) {
    statements += 1;
    return (await lab.reader.query(text, [...values])).rows as Row[];
  },
};

beforeEach(async () => {
  lab = await openStoreLab();
  statements = 0;
});

afterEach(() => lab.close());

const HOSTS = { keysGroupId: 1, isCrossKey: false, partGroupIds: [] };
const PAIRS = { keysGroupId: 2, isCrossKey: true, partGroupIds: [1, null] };

const nothing = { label: undefined, description: undefined, attributes: undefined };

const say = (groupId: number, key: string, texts: Partial<typeof TEXTS>) =>
  upsertKeyTexts(lab.importer, [{ ...nothing, groupId, key, ...texts }]);

const TEXTS = {
  label: 'gateway' as string | null | undefined,
  description: 'in the cellar' as string | null | undefined,
  attributes: '{"rack":"7"}' as string | null | undefined,
};

const rows = () => lab.rows('select key, label, label_source, description from key_texts');

describe('the texts of keys', () => {
  it("come with their parts' labels in one statement, and are null if there are none", async () => {
    await say(1, '0A.00.00.01', TEXTS);
    await say(2, '0A.00.00.01\\a\\\\b', { label: 'pair' });
    const found = await describeKeys(
      session,
      [
        { group: PAIRS, key: '0A.00.00.01\\a\\\\b' },
        { group: HOSTS, key: '0A.00.00.01' },
        { group: HOSTS, key: '0A.00.00.02' },
      ],
      null,
    );
    expect(statements).toBe(1);
    expect(found).toEqual([
      {
        groupId: 2,
        key: '0A.00.00.01\\a\\\\b',
        label: 'pair',
        description: null,
        attributes: null,
        parts: ['0A.00.00.01', 'a\\b'],
        partLabels: ['gateway', null],
      },
      {
        groupId: 1,
        key: '0A.00.00.01',
        label: 'gateway',
        description: 'in the cellar',
        attributes: { rack: '7' },
        parts: [],
        partLabels: [],
      },
      {
        groupId: 1,
        key: '0A.00.00.02',
        label: null,
        description: null,
        attributes: null,
        parts: [],
        partLabels: [],
      },
    ]);
    expect(await describeKeys(session, [], null)).toEqual([]);
  });

  it('are changed one by one, and only real differences count as changes', async () => {
    expect(await say(1, '0A.00.00.01', TEXTS)).toBe(1);
    expect(await say(1, '0A.00.00.01', TEXTS)).toBe(0);
    expect(await say(1, '0A.00.00.01', { label: null })).toBe(1);
    expect(await rows()).toEqual([
      { key: '0A.00.00.01', label: null, label_source: null, description: 'in the cellar' },
    ]);
  });

  it('leave no row when the last of them is cleared, or if none was set', async () => {
    await say(1, '0A.00.00.01', { label: 'x' });
    expect(await say(1, '0A.00.00.01', { label: null })).toBe(1);
    expect(await say(1, '0A.00.00.02', { description: null })).toBe(0);
    expect(await rows()).toEqual([]);
  });

  it('of a user replace a label from another source, even an equal one', async () => {
    await lab.importer.query(
      `insert into key_texts (group_id, key, label, label_source) values (1, 'x', 'name', 'dns')`,
    );
    expect(await say(1, 'x', { label: 'name' })).toBe(1);
    expect(await rows()).toEqual([
      { key: 'x', label: 'name', label_source: 'user', description: null },
    ]);
  });

  it('show which keys have texts by a user, and which only a name from another source', async () => {
    await say(1, 'b', { description: 'mine' });
    await say(2, 'c', { label: 'mine' });
    await lab.importer.query(
      `insert into key_texts (group_id, key, label, label_source) values (1, 'a', 'name', 'dns')`,
    );
    const found = await selectLabelledKeys(session, [1], null);
    expect(found.map(({ key, isByUser }) => [key, isByUser])).toEqual([
      ['a', false],
      ['b', true],
    ]);
  });
});
