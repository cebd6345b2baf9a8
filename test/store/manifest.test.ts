import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inSnapshot, inTransaction } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { loadManifest } from '../../store/read/manifest.ts';
import {
  importLists,
  minute,
  openStoreLab,
  publish,
  type StoreLab,
  writeList,
} from './store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

describe('a manifest', () => {
  it('is updated by the changes alone, and equals one that is read in full', async () => {
    const [a, b] = await importLists(lab.importer, [{ list: minute(1) }, { list: minute(2) }]);
    const first = await lab.manifest();
    await importLists(lab.importer, [{ list: minute(3) }]);
    await inTransaction(lab.importer, async () => {
      const added = [await writeList(lab.importer, { list: [minute(1), minute(2)].flat() })];
      const removed = [a?.segmentId ?? 0, b?.segmentId ?? 0];
      await publish(lab.importer, { changes: 'layout', added, removed });
    });
    const second = await lab.manifest(first);
    const whole = await lab.manifest();
    expect([...second.segments.keys()].sort()).toEqual([...whole.segments.keys()].sort());
    expect(second.layout).toBe(whole.layout);
    expect([...first.segments.keys()]).toHaveLength(2);
    const kept = await lab.manifest(second);
    expect(kept).toBe(second);
  });

  it('keeps what it has decoded of segments that stay live', async () => {
    const [a] = await importLists(lab.importer, [{ list: minute(1) }]);
    const first = await lab.manifest();
    await importLists(lab.importer, [{ list: minute(2) }]);
    const second = await lab.manifest(first);
    const id = a?.segmentId ?? 0;
    expect(second.segments.get(id)).toBe(first.segments.get(id));
  });

  it('is read in full if the known one is newer, as in an older snapshot', async () => {
    await importLists(lab.importer, [{ list: minute(1) }]);
    const seen = await inSnapshot(lab.reader, async () => {
      const old = await lab.manifest();
      await importLists(lab.importer, [{ list: minute(2) }]);
      const newer = await lab.manifest(undefined, lab.importer);
      return { old, newer, again: await lab.manifest(newer) };
    });
    expect(seen.newer.segments.size).toBe(2);
    expect([...seen.again.segments.keys()]).toEqual([...seen.old.segments.keys()]);
    expect(seen.again.layout).toBe(seen.old.layout);
  });

  it('is read in full if dead segments have been swept meanwhile', async () => {
    const [a] = await importLists(lab.importer, [{ list: minute(1) }, { list: minute(2) }]);
    const first = await lab.manifest();
    await lab.importer.query(
      `delete from segments where segment_id = ${a?.segmentId};
       update context_versions set layout = 9, swept_to = 9 where context_id = 1`,
    );
    const second = await lab.manifest(first);
    expect(second.segments.size).toBe(1);
    expect(second.segments.has(a?.segmentId ?? 0)).toBe(false);
  });

  it('takes no segment for another with the same id, as after a restored backup', async () => {
    await importLists(lab.importer, [{ list: minute(1) }]);
    const before = await lab.manifest();
    const [first] = before.segments.values();
    await lab.importer.query('update segments set segment_id = segment_id + 100');
    await importLists(lab.importer, [{ list: minute(2, 9) }]);
    await lab.importer.query(`update segments set segment_id = $1 where segment_id < 100`, [
      first?.segmentId,
    ]);
    await lab.importer.query('update context_versions set swept_to = layout');
    const after = await lab.manifest(before);
    const same = after.segments.get(first?.segmentId ?? 0);
    expect(same?.directory().nonce).not.toBe(first?.directory().nonce);
    expect(same?.keyCount).toBe(9);
  });

  it('follows a change of data that changes no segments', async () => {
    await importLists(lab.importer, [{ list: minute(1) }]);
    const first = await lab.manifest();
    await lab.importer.query('select raise_context_version(1)');
    const second = await lab.manifest(first);
    expect(second.version).toBe(first.version + 1);
    expect(second.segments).toBe(first.segments);
  });

  it('of a context without segments is empty, and of an unknown context is null', async () => {
    expect((await lab.manifest()).segments.size).toBe(0);
    expect(await loadManifest(copiesOf(lab.reader), { contextId: 9 })).toBeNull();
  });
});
