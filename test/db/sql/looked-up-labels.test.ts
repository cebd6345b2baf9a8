import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  deleteLooseLabels,
  forgetArchivedLabels,
  noteArchivedLabels,
  selectLabelsToNote,
  selectLooseLabels,
  selectOldestArchiveEnd,
  upsertLookedUpLabels,
} from '../../../db/sql/looked-up-labels.ts';
import { openTextLab, type TextLab } from './text-lab.ts';

let lab: TextLab;

beforeAll(async () => {
  lab = await openTextLab();
});

afterAll(() => lab.close());

const page = (after = '', limit = 100) => ({ groupId: lab.groupId, after, limit });

describe('labels that were looked up', () => {
  it('are set, unless a user gave one, and are counted by what became of them', async () => {
    await lab.undone(async () => {
      const note = { description: 'A note' };
      await lab.addTexts([
        { key: 'described', ...note },
        { key: 'moved', label: 'old', source: 'mmdb', ...note },
        { key: 'same', label: 'same name', source: 'mmdb' },
        { key: 'users', label: 'Mine', source: 'user' },
      ]);
      const names = [
        { key: 'described', name: 'd' },
        { key: 'moved', name: 'm' },
        { key: 'new', name: 'n' },
        { key: 'same', name: 'same name' },
        { key: 'users', name: 'u' },
      ];
      const labels = { groupId: lab.groupId, source: 'dns', names } as const;
      const counts = await upsertLookedUpLabels(lab.connection, labels);
      expect(counts).toEqual({ labelled: 3, unchanged: 1, keptByUser: 1 });
      expect(await lab.texts()).toEqual([
        { key: 'described', label: 'd', source: 'dns', ...note },
        { key: 'moved', label: 'm', source: 'dns', ...note },
        { key: 'new', label: 'n', source: 'dns' },
        { key: 'same', label: 'same name', source: 'mmdb' },
        { key: 'users', label: 'Mine', source: 'user' },
      ]);
      const again = await upsertLookedUpLabels(lab.connection, labels);
      expect(again).toEqual({ labelled: 0, unchanged: 4, keptByUser: 1 });
    });
  });

  it('of no keys change nothing', async () => {
    await lab.undone(async () => {
      const none = { groupId: lab.groupId, source: 'mmdb', names: [] } as const;
      const counts = await upsertLookedUpLabels(lab.connection, none);
      expect(counts).toEqual({ labelled: 0, unchanged: 0, keptByUser: 0 });
    });
  });
});

describe('labels to note for an archived slice', () => {
  it('are those that were looked up and are noted for no later slice, in the order of keys', async () => {
    await lab.undone(async () => {
      await lab.addTexts([
        { key: 'b', label: 'B', source: 'dns' },
        { key: 'a', label: 'A', source: 'mmdb', archivedUntil: 99, description: 'A note' },
        { key: 'Z', label: 'Z', source: 'dns' },
        { key: 'noted', label: 'N', source: 'dns', archivedUntil: 100 },
        { key: 'users', label: 'U', source: 'user' },
        { key: 'described', description: 'D' },
      ]);
      await lab.addTexts([{ key: 'c', label: 'C', source: 'dns' }], lab.otherGroupId);
      expect(await selectLabelsToNote(lab.connection, page(), 100)).toEqual(['Z', 'a', 'b']);
      expect(await selectLabelsToNote(lab.connection, page('Z', 1), 100)).toEqual(['a']);
    });
  });

  it('are noted with the latest end, until an available slice has the key', async () => {
    await lab.undone(async () => {
      const { connection, groupId } = lab;
      const label = { label: 'L', source: 'dns' } as const;
      await lab.addTexts([
        { key: 'a', ...label },
        { key: 'b', archivedUntil: 200, ...label },
        { key: 'c', ...label },
      ]);
      await noteArchivedLabels(connection, { groupId, keys: ['a', 'b'], until: 100 });
      expect(await lab.texts()).toEqual([
        { key: 'a', archivedUntil: 100, ...label },
        { key: 'b', archivedUntil: 200, ...label },
        { key: 'c', ...label },
      ]);
      await forgetArchivedLabels(connection, { groupId, keys: ['b', 'c'] });
      expect(await lab.texts()).toEqual([
        { key: 'a', archivedUntil: 100, ...label },
        { key: 'b', ...label },
        { key: 'c', ...label },
      ]);
    });
  });
});

describe('labels that may be removed', () => {
  beforeAll(() =>
    lab.addTexts(
      [
        { key: 'attributed', label: 'L', source: 'dns', attributes: { site: 'Bonn' } },
        { key: 'described', label: 'L', source: 'dns', description: 'D' },
        { key: 'kept', label: 'L', source: 'dns', archivedUntil: 100 },
        { key: 'never', label: 'L', source: 'mmdb' },
        { key: 'past', label: 'L', source: 'dns', archivedUntil: 99 },
        { key: 'users', label: 'L', source: 'user' },
      ],
      lab.otherGroupId,
    ),
  );

  const select = (which: 'current' | 'expired', oldestEnd: number | null) =>
    selectLooseLabels(
      lab.connection,
      { groupId: lab.otherGroupId, after: '', limit: 100 },
      { which, oldestEnd },
    );

  it('are the only text of their key, and were noted for no slice that stays archived', async () => {
    expect(await select('current', 100)).toEqual(['never', 'past']);
    expect(await select('current', null)).toEqual(['kept', 'never', 'past']);
  });

  it('exclude those that were never noted, if only expired notes are wanted', async () => {
    expect(await select('expired', 100)).toEqual(['past']);
    expect(await select('expired', null)).toEqual(['kept', 'past']);
  });

  it('are deleted, but no other text', async () => {
    await lab.undone(async () => {
      const keys = ['attributed', 'described', 'past', 'users'];
      await deleteLooseLabels(lab.connection, { groupId: lab.otherGroupId, keys });
      expect((await lab.texts(lab.otherGroupId)).map(({ key }) => key)).toEqual([
        'attributed',
        'described',
        'kept',
        'never',
        'users',
      ]);
    });
  });
});

describe('the earliest end of an archived slice', () => {
  it('ignores the given slice, available ones and other contexts', async () => {
    await lab.undone(async () => {
      const { connection, contextId } = lab;
      const slice = { contextId, archived: true };
      const first = await lab.addSlice({ ...slice, startsAt: 100, endsAt: 200 });
      expect(await selectOldestArchiveEnd(connection, { contextId, but: first })).toBeNull();
      await lab.addSlice({ ...slice, startsAt: 300, endsAt: 400 });
      await lab.addSlice({ ...slice, startsAt: 200, endsAt: 300 });
      await lab.addSlice({ contextId, startsAt: 0, endsAt: 100 });
      await lab.addSlice({ contextId: lab.elsewhere, startsAt: 0, endsAt: 100, archived: true });
      expect(await selectOldestArchiveEnd(connection, { contextId, but: first })).toBe(300);
      expect(await selectOldestArchiveEnd(connection, { contextId, but: 0 })).toBe(200);
    });
  });
});
