import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { projectRoot } from '../../db/project-root.ts';
import { createEmptyDatabase, withClient } from '../support/database/database.ts';

/** A pool of the dump, and the folder where its files are now. */
type MovedPool = { readonly name: string; readonly path: string };

export type StoredDatabase = {
  readonly url: string;
  readonly pool: string;
  remove(): Promise<void>;
};

/** Reads and unpacks a file of a fixture. */
export async function readStored(fixture: string, file: string): Promise<string> {
  const packed = await readFile(join(fixtureFolder(fixture), file));
  return (await promisify(gunzip)(packed)).toString();
}

/**
 * Restores a fixture's database as its version left it, with a copy of its pool: restoring an
 * archive removes its file.
 */
export async function restoreStoredDatabase(
  fixture: string,
  poolName: string,
): Promise<StoredDatabase> {
  const dump = await readStored(fixture, 'database.sql.gz');
  const database = await createEmptyDatabase();
  const pool = await mkdtemp(join(tmpdir(), 'countergraph-test-pool-'));
  const remove = async () => {
    await rm(pool, { recursive: true, force: true });
    await database.drop();
  };
  try {
    await cp(join(fixtureFolder(fixture), 'pool'), pool, { recursive: true });
    await withClient(database.url, (client) => client.query(dump));
    await movePool(database.url, { name: poolName, path: pool });
    return { url: database.url, pool, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Uses a separate connection, because the dump leaves an empty search path behind. */
async function movePool(url: string, { name, path }: MovedPool): Promise<void> {
  const { rowCount } = await withClient(url, (client) =>
    client.query('update pools set path = $2 where name = $1', [name, path]),
  );
  if (rowCount === 0) throw new Error(`The dump must have a pool ${name}, it has none`);
}

const fixtureFolder = (fixture: string): string => join(projectRoot(), 'test', 'fixtures', fixture);
