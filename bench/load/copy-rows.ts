import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { showProgress } from '../reports/progress.ts';
import { walBytes } from './database-sizes.ts';

export type CopyFigures = { readonly seconds: number; readonly walBytes: number };

export type CopyTarget = {
  readonly url: string;
  /** Folder for the temporary file of rows. */
  readonly folder: string;
};

/** Writes a file for COPY: key id, bucket, and the three readings. */
export type WriteRows = (file: string) => Promise<void>;

/**
 * The smallest possible table of samples: ids for keys, no text, and one index in the order of the
 * rows, which is the fastest to fill.
 */
const TABLE = `
create table copied (
  key_id integer not null,
  bucket bigint not null,
  bytes bigint not null,
  packets bigint not null,
  connections bigint not null
)`;
const INDEX = 'create index on copied (bucket, key_id)';

/** The baseline for an import: COPY of the same rows from a prepared file into a plain table. */
export async function copyRows(
  { url, folder }: CopyTarget,
  writeRows: WriteRows,
): Promise<CopyFigures> {
  const file = join(folder, 'rows.txt');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    showProgress('writing the rows to a file');
    await writeRows(file);
    await client.query(TABLE);
    await client.query(INDEX);
    await client.query('checkpoint');
    showProgress('copying the rows');
    const walBefore = await walBytes(client);
    const started = performance.now();
    await pipeline(createReadStream(file), client.query(copyFrom('copy copied from stdin')));
    const seconds = (performance.now() - started) / 1000;
    const wal = (await walBytes(client)) - walBefore;
    await client.query('drop table copied');
    return { seconds, walBytes: wal };
  } finally {
    await client.end();
    await rm(file, { force: true });
  }
}
