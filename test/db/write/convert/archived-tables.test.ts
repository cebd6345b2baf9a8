import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  inTransaction,
  type OpenConnection,
  openConnection,
} from '../../../../db/connection/connection.ts';
import {
  ARCHIVED_TABLES,
  copyArchivedKeys,
  copyArchivedSamples,
  createArchivedTables,
} from '../../../../db/write/convert/archived-tables.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';

let database: TestDatabase;
let connection: OpenConnection;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
});

afterAll(async () => {
  await connection.end();
  await database.drop();
});

/** Lines of COPY, in chunks that end in the middle of a line. */
async function* textOf(...lines: readonly (readonly string[])[]): AsyncGenerator<Buffer> {
  const text = Buffer.from(lines.map((fields) => `${fields.join('\t')}\n`).join(''));
  for (let at = 0; at < text.length; at += 7) yield text.subarray(at, at + 7);
}

const sample = (keyId: number, sliceId: number | '\\N'): string[] => [
  '3',
  '60',
  '255',
  String(keyId),
  '0',
  String(sliceId),
  '{5,NULL}',
  '\\N',
];

const rowsOf = async (table: string) =>
  (await connection.query(`select * from ${table} order by key_id`)).rows;

const inArchivedTables = (work: () => Promise<void>): Promise<void> =>
  inTransaction(connection, async () => {
    await createArchivedTables(connection);
    await work();
  });

describe('the tables for an archive', () => {
  it('are empty, and gone after the transaction', async () => {
    const { samples, keys } = ARCHIVED_TABLES;
    for (const _ of ['first', 'second']) {
      await inArchivedTables(async () => {
        expect(await rowsOf(samples)).toEqual([]);
        expect(await rowsOf(keys)).toEqual([]);
        await copyArchivedSamples(connection, 7, textOf(sample(1, 7)));
      });
      await expect(rowsOf(samples)).rejects.toThrow('does not exist');
      await expect(rowsOf(keys)).rejects.toThrow('does not exist');
    }
  });
});

describe('copying archived keys', () => {
  const nulls = ['\\N', '\\N', '\\N', '\\N'];

  it('stores them, with their texts', async () => {
    await inArchivedTables(async () => {
      const labeled = ['A', 'dns', 'is described', '{"site":"x"}'];
      const text = textOf(['3', '255', '1', 'ключ', ...labeled], ['3', '255', '2', 'b', ...nulls]);
      await copyArchivedKeys(connection, text);
      const id = { group_id: 3, shard: 255 };
      expect(await rowsOf(ARCHIVED_TABLES.keys)).toEqual([
        {
          ...id,
          key_id: 1,
          key: 'ключ',
          label: 'A',
          label_source: 'dns',
          description: 'is described',
          attributes: { site: 'x' },
        },
        {
          ...id,
          key_id: 2,
          key: 'b',
          label: null,
          label_source: null,
          description: null,
          attributes: null,
        },
      ]);
    });
  });

  it('fails if two have the same id', async () => {
    const text = textOf(['3', '0', '1', 'a', ...nulls], ['3', '0', '1', 'b', ...nulls]);
    await expect(inArchivedTables(() => copyArchivedKeys(connection, text))).rejects.toThrow(
      'could not create unique index',
    );
  });
});

describe('copying archived samples', () => {
  it('stores them and returns how many there are', async () => {
    await inArchivedTables(async () => {
      const text = textOf(sample(1, 7), sample(2, 7), sample(2, 7));
      expect(await copyArchivedSamples(connection, 7, text)).toBe(3);
      const row = { group_id: 3, bucket: '60', shard: 255, probe_id: 0, slice_id: 7 };
      expect(await rowsOf(ARCHIVED_TABLES.samples)).toEqual(
        [1, 2, 2].map((key_id) => ({ ...row, key_id, readings: ['5', null], counts: null })),
      );
    });
  });

  it('returns 0 for an archive without samples', async () => {
    await inArchivedTables(async () => {
      expect(await copyArchivedSamples(connection, 7, textOf())).toBe(0);
    });
  });

  it('fails if some belong to another slice, or to none', async () => {
    const text = textOf(sample(1, 7), sample(2, 8), sample(3, '\\N'));
    const copying = inArchivedTables(async () => {
      await copyArchivedSamples(connection, 7, text);
    });
    await expect(copying).rejects.toThrow(
      'An archive of slice 7 must hold no samples of another one, but has 2',
    );
  });
});
