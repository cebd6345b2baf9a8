import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectTexts, selectUserKeys } from '../../../db/sql/key-texts.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { group } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let first: number;
let second: number;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [group(1), group(2)] });
  first = await db.groupId('lab', 'Group 1');
  second = await db.groupId('lab', 'Group 2');
  await db.sql(
    `insert into key_texts (group_id, key, label, label_source, description, attributes) values
       ($1, 'user', 'U', 'user', null, null),
       ($1, 'dns', 'D', 'dns', null, null),
       ($1, 'mmdb', 'M', 'mmdb', null, null),
       ($1, 'described', 'D', 'dns', 'text', null),
       ($1, 'attributed', null, null, null, '{"site": "east", "rack": 4}'),
       ($2, 'user', 'of group 2', 'dns', null, null)`,
    [first, second],
  );
});

afterAll(() => db.close());

const inFirst = (...keys: string[]) => keys.map((key) => ({ groupId: first, key }));

describe('the texts of keys', () => {
  const ask = async (keys: readonly { groupId: number; key: string }[]) => {
    const rows = await db.read((session) => selectTexts(session, keys, null));
    return rows.toSorted((a, b) => a.groupId - b.groupId || a.key.localeCompare(b.key));
  };

  it('are those of the groups asked for; a key without texts is left out', async () => {
    const keys = inFirst('user', 'attributed', 'described', 'nothing', 'User');
    const none = { label: null, description: null, attributes: null };
    expect(await ask([...keys, { groupId: second, key: 'dns' }])).toEqual([
      { ...none, groupId: first, key: 'attributed', attributes: { site: 'east', rack: 4 } },
      { ...none, groupId: first, key: 'described', label: 'D', description: 'text' },
      { ...none, groupId: first, key: 'user', label: 'U' },
    ]);
    expect(await ask([])).toEqual([]);
  });

  it('differ between groups with the same key', async () => {
    const both = [first, second].map((groupId) => ({ groupId, key: 'user' }));
    expect(await ask(both)).toMatchObject([
      { groupId: first, label: 'U' },
      { groupId: second, label: 'of group 2' },
    ]);
  });
});

describe('the keys to which a user gave a text', () => {
  it('have a label of the user, a description or attributes', async () => {
    const keys = inFirst('user', 'dns', 'mmdb', 'described', 'attributed', 'nothing');
    const asked = [...keys, { groupId: second, key: 'user' }];
    const rows = await db.read((session) => selectUserKeys(session, asked));
    expect(rows.toSorted((a, b) => a.key.localeCompare(b.key))).toEqual(
      inFirst('attributed', 'described', 'user'),
    );
  });
});
