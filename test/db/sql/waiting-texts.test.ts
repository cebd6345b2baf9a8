import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type KeyTextsUpsert,
  lockTexts,
  selectExportedTexts,
  selectTextKeys,
  upsertWaitingTexts,
  writeWaitingTexts,
} from '../../../db/sql/key-texts.ts';
import { openTextLab, type TextLab } from './text-lab.ts';

let lab: TextLab;

beforeAll(async () => {
  lab = await openTextLab();
});

afterAll(() => lab.close());

/** An update that keeps what is left out. */
const update = (
  key: string,
  { groupId = lab.groupId, label, description, attributes }: Partial<KeyTextsUpsert>,
): KeyTextsUpsert => ({ groupId, key, label, description, attributes });

describe('keys with texts', () => {
  it('come in the order of their raw form, page by page, with what users gave them', async () => {
    await lab.undone(async () => {
      await lab.addTexts([
        { key: 'dns', label: 'L', source: 'dns' },
        { key: 'attributed', label: 'L', source: 'dns', attributes: { site: 'Bonn' } },
        { key: 'described', description: 'D' },
        { key: 'Labelled', label: 'L', source: 'user' },
      ]);
      await lab.addTexts([{ key: 'elsewhere', description: 'D' }], lab.otherGroupId);
      const { groupId, connection } = lab;
      expect(await selectTextKeys(connection, { groupId, after: '', limit: 3 })).toEqual([
        { key: 'Labelled', isUsers: true },
        { key: 'attributed', isUsers: true },
        { key: 'described', isUsers: true },
      ]);
      expect(await selectTextKeys(connection, { groupId, after: 'described', limit: 3 })).toEqual([
        { key: 'dns', isUsers: false },
      ]);
    });
  });

  it('are exported with all their texts', async () => {
    await lab.undone(async () => {
      const attributes = { site: 'Bonn' };
      await lab.addTexts([
        { key: 'all', label: 'L', source: 'mmdb', description: 'D', attributes },
        { key: 'described', description: 'D' },
        { key: 'not asked', description: 'D' },
      ]);
      await lab.addTexts([{ key: 'all', description: 'Elsewhere' }], lab.otherGroupId);
      const keys = ['described', 'all', 'without texts'];
      const found = await selectExportedTexts(lab.connection, lab.groupId, keys);
      expect(found).toHaveLength(2);
      expect(found).toEqual(
        expect.arrayContaining([
          { key: 'all', label: 'L', labelSource: 'mmdb', description: 'D', attributes },
          {
            key: 'described',
            label: null,
            labelSource: null,
            description: 'D',
            attributes: null,
          },
        ]),
      );
    });
  });
});

describe('the lock for changing texts', () => {
  /** The contexts whose texts somebody else could change now. */
  const free = async (): Promise<string[]> => {
    const { rows } = await lab.other.query<{ name: string }>(
      `select name from contexts join text_versions v using (context_id)
       order by name for no key update of v skip locked`,
    );
    return rows.map(({ name }) => name);
  };

  it('is held for the contexts of the groups, until the end of the transaction', async () => {
    await lab.undone(async () => {
      await lockTexts(lab.connection, [lab.groupId, lab.otherGroupId, lab.groupId]);
      expect(await free()).toEqual(['elsewhere']);
      await lockTexts(lab.connection, [lab.groupIdElsewhere]);
      expect(await free()).toEqual([]);
    });
    expect(await free()).toEqual(['elsewhere', 'lab']);
  });
});

describe('waiting texts', () => {
  it('are written only when asked, each the last one of its key and kind', async () => {
    await lab.undone(async () => {
      await lab.addTexts([{ key: 'known', label: 'Looked up', source: 'dns', description: 'D' }]);
      const before = await lab.texts();
      await upsertWaitingTexts(lab.connection, [
        update('known', { label: 'First' }),
        update('new', { label: 'New', attributes: '{"site":"Bonn"}' }),
      ]);
      await upsertWaitingTexts(lab.connection, [
        update('known', { label: 'Second' }),
        update('new', { description: 'Later', attributes: '{"site":"Ulm"}' }),
        update('new', { label: 'Other group', groupId: lab.otherGroupId }),
      ]);
      expect(await lab.texts()).toEqual(before);
      await writeWaitingTexts(lab.connection);
      expect(await lab.texts()).toEqual([
        { key: 'known', label: 'Second', source: 'user', description: 'D' },
        {
          key: 'new',
          label: 'New',
          source: 'user',
          description: 'Later',
          attributes: { site: 'Ulm' },
        },
      ]);
      expect(await lab.texts(lab.otherGroupId)).toEqual([
        { key: 'new', label: 'Other group', source: 'user' },
      ]);
    });
  });

  it('can clear a text, and remove a key that then has none', async () => {
    await lab.undone(async () => {
      await lab.addTexts([
        { key: 'both', label: 'L', source: 'user', description: 'D' },
        { key: 'one', label: 'L', source: 'user' },
      ]);
      await upsertWaitingTexts(lab.connection, [
        update('both', { label: 'Given before it is cleared' }),
        update('one', { label: null }),
      ]);
      await upsertWaitingTexts(lab.connection, [update('both', { label: null })]);
      await writeWaitingTexts(lab.connection);
      expect(await lab.texts()).toEqual([{ key: 'both', description: 'D' }]);
    });
  });

  it('are gone after the transaction', async () => {
    await lab.connection.query('begin');
    await upsertWaitingTexts(lab.connection, [update('k', { label: 'L' })]);
    await lab.connection.query('commit');
    expect(await lab.texts()).toEqual([]);
    await lab.undone(async () => {
      await upsertWaitingTexts(lab.connection, []);
      await writeWaitingTexts(lab.connection);
      expect(await lab.texts()).toEqual([]);
    });
  });
});
