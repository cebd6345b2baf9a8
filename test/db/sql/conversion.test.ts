import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copiesOf } from '../../../db/session/copy-source.ts';
import {
  dropFormat1Tables,
  dropPartitions,
  lockConversion,
  removeUnusedPartitions,
  renamePartitions,
  replaceFormat1Segments,
  selectContexts,
  selectFormat1Pages,
  selectFormat1Segments,
  selectFormat1Slices,
  selectIsConverting,
} from '../../../db/sql/conversion.ts';
import { type ConvertLab, openClone, restoreAdapted } from '../../conversion/convert-lab.ts';
import type { StoredDatabase } from '../../conversion/stored-database.ts';

let stored: StoredDatabase;
let lab: ConvertLab;

beforeEach(async () => {
  stored = await restoreAdapted();
  lab = await openClone(stored);
});

afterEach(async () => {
  await lab?.close();
  await stored?.remove();
});

describe('the statements of the conversion', () => {
  it('find the slices of format 1, their segments and the pages of these', async () => {
    const { connection } = lab;
    const slices = await selectFormat1Slices(connection);
    const names = new Set(slices.map(({ context }) => context));
    expect(names).toEqual(new Set(['lab', 'Büro 2', 'flows', 'building']));
    for (const slice of slices.slice(-2)) {
      const segments = await selectFormat1Segments(connection, slice);
      const bytes = segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      expect(bytes).toBe(slice.sizeBytes);
      for (const segment of segments) {
        const pages = await selectFormat1Pages(copiesOf(connection), segment, new Set([0]));
        expect([...pages.keys()]).toEqual([0]);
      }
    }
  });

  it('take slices out of the manifest, and then drop what held them', async () => {
    const { connection } = lab;
    expect(await selectIsConverting(connection)).toBe(true);
    for (const slice of await selectFormat1Slices(connection)) {
      const segments = await selectFormat1Segments(connection, slice);
      await replaceFormat1Segments(connection, slice.contextId, segments);
      await expect(replaceFormat1Segments(connection, slice.contextId, segments)).rejects.toThrow(
        'Segments were removed while they were converted: run it again',
      );
      const renamed = await renamePartitions(connection, slice.sliceId);
      expect(renamed.every((name) => name.startsWith('format_1_'))).toBe(true);
      await dropPartitions(connection, renamed);
    }
    await removeUnusedPartitions(connection);
    await dropFormat1Tables(connection);
    expect(await selectIsConverting(connection)).toBe(false);
    expect(await lab.rows(`select from pg_class where relname ~ '_pages_[0-9]'`)).toEqual([]);
  });

  it('list contexts by number, and hold one lock', async () => {
    const { connection } = lab;
    const ids = (await selectContexts(connection)).map(({ contextId }) => contextId);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    await lockConversion(connection);
    const held = await lab.rows(
      `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    expect(held).toHaveLength(1);
  });
});
