import { afterAll, beforeAll, expect, it } from 'vitest';
import { updateSliceArchived, updateSliceRestored } from '../../../db/sql/archived-slices.ts';
import { type ConvertLab, openClone, restoreAdapted } from '../../conversion/convert-lab.ts';
import type { StoredDatabase } from '../../conversion/stored-database.ts';

let stored: StoredDatabase;
let lab: ConvertLab;

beforeAll(async () => {
  stored = await restoreAdapted();
  lab = await openClone(stored);
});

afterAll(async () => {
  await lab?.close();
  await stored?.remove();
});

it('an archived slice knows its file until it is restored', async () => {
  const columns = `slice_id as id, archived, archive_pool as pool, archive_path as path,
    encode(archive_digest, 'hex') as digest, archive_bytes::int as bytes, archive_rows::int as rows`;
  const read = () =>
    lab.rows<{
      id: number;
      pool: string;
      path: string;
      digest: string;
      bytes: number;
      rows: number;
    }>(
      `select ${columns} from slices
       where slice_id = (select min(slice_id) from slices where archive_pool = 'cold' or tags = '{box}')`,
    );
  const [archived] = await read();
  if (!archived) throw new Error('the fixture has an archived slice');
  expect(archived).toMatchObject({ archived: true, pool: 'cold' });
  await lab.rows(`update slices set tags = '{box}' where slice_id = $1`, [archived.id]);
  await updateSliceRestored(lab.connection, archived.id);
  const none = { pool: null, path: null, digest: null, bytes: null, rows: null };
  expect(await read()).toEqual([{ id: archived.id, archived: false, ...none }]);
  await updateSliceArchived(lab.connection, archived.id, archived);
  expect(await read()).toEqual([archived]);
});
