import { createHash } from 'node:crypto';
import type pg from 'pg';
import { openConnection } from '../../db/connection/connection.ts';
import { migrate } from '../../db/migrate.ts';
import {
  type ConversionOptions,
  type ConvertedDatabase,
  convertDatabase,
} from '../../store/from-1.7/convert-database.ts';
import { cloneDatabase } from '../support/database/database.ts';
import { samplesInSegments } from './plain-readings.ts';
import { restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

export const FIXTURE = 'store-1.7';

/** What version 1.7 found of its readings, exactly: their digest and number. */
export const READINGS = {
  digest: 'ae4a09ba8fe57e51e16e01fa76dcf3eec4aacdada333913d4e9f09a5fcec16e0',
  count: 22_162,
} as const;

export type ConvertLab = {
  readonly url: string;
  readonly connection: pg.Client;
  rows<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  convert(options?: ConversionOptions): Promise<ConvertedDatabase | null>;
  /** The readings of all live segments, in the form of READINGS. */
  readings(): Promise<{ digest: string; count: number }>;
  close(): Promise<void>;
};

/** Restores the database of 1.7, with the schema of this version. Tests use clones of it. */
export async function restoreAdapted(): Promise<StoredDatabase> {
  const stored = await restoreStoredDatabase(FIXTURE, 'cold');
  await migrate(stored.url);
  return stored;
}

/** Opens a clone of a database, with a connection to inspect it. */
export async function openClone({ url }: { readonly url: string }): Promise<ConvertLab> {
  const database = await cloneDatabase({ url, drop: async () => undefined });
  const connection = await openConnection(database.url, 'test');
  return {
    url: database.url,
    connection,
    async rows<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      return (await connection.query<R>(text, [...values])).rows;
    },
    convert: (options) => convertDatabase({ databaseUrl: database.url }, options),
    async readings() {
      const found = await samplesInSegments(connection);
      const lines = [...found].map(([place, value]) => `${place} ${value}\n`).sort();
      const digest = createHash('sha256').update(lines.join('')).digest('hex');
      return { digest, count: found.size };
    },
    async close() {
      await connection.end();
      await database.drop();
    },
  };
}

/** The tables of 1.7 that are left. */
export const FORMAT_1_TABLES = `select relname from pg_class
  where relkind in ('r', 'p') and relname like 'format\\_1\\_%'`;
