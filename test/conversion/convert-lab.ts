import type pg from 'pg';
import { openConnection } from '../../db/connection/connection.ts';
import { migrate } from '../../db/migrate.ts';
import {
  type ConversionOptions,
  type ConvertedDatabase,
  convertDatabase,
} from '../../store/convert/convert-database.ts';
import { cloneDatabase, type TestDatabase } from '../support/database/database.ts';
import { type PlainReadings, samplesInSegments, samplesInTables } from './plain-readings.ts';
import { restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

/** 2024-09-01, after the fixture: all its slices have ended. */
export const LATER = 1_725_148_800;

export type ConvertLab = {
  readonly url: string;
  readonly connection: pg.Client;
  rows<R extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<R[]>;
  convert(options?: ConversionOptions): Promise<ConvertedDatabase>;
  tables(): Promise<PlainReadings>;
  segments(): Promise<PlainReadings>;
  close(): Promise<void>;
};

/** Opens a database to be converted, with a connection to inspect it. */
export async function openConvertLab(database: TestDatabase): Promise<ConvertLab> {
  const connection = await openConnection(database.url, 'test');
  return {
    url: database.url,
    connection,
    async rows<R extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) {
      return (await connection.query<R>(text, [...values])).rows;
    },
    convert: (options) => convertDatabase({ databaseUrl: database.url }, { now, ...options }),
    tables: () => samplesInTables(connection),
    segments: () => samplesInSegments(connection),
    async close() {
      await connection.end();
      await database.drop();
    },
  };
}

const now = () => LATER;

/** Restores the database of 0.7.0, with the newest schema. Tests use clones of it. */
export async function restoreMigrated(): Promise<StoredDatabase> {
  const stored = await restoreStoredDatabase('store-0.7.0', 'cold');
  await migrate(stored.url);
  return stored;
}

export const openClone = async ({ url }: StoredDatabase): Promise<ConvertLab> =>
  openConvertLab(await cloneDatabase({ url, drop: async () => undefined }));
