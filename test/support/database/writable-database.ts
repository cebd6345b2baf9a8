import type { QueryResultRow } from 'pg';
import { openConnection } from '../../../db/connection/connection.ts';
import { applyDeclaration } from '../../../ingest/declaration/apply.ts';
import { createTestDatabase } from './database.ts';

export type WritableDatabase = Awaited<ReturnType<typeof openWritableDatabase>>;

/** A database of its own, and two connections to it, for tests of single statements. */
export async function openWritableDatabase() {
  const database = await createTestDatabase();
  const connection = await openConnection(database.url, 'test');
  const other = await openConnection(database.url, 'other test');

  /** Returns the rows of one statement on the first connection, as its transaction sees them. */
  async function rowsOf<Row extends QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await connection.query<Row>(text, [...values])).rows;
  }

  async function numberOf(text: string, values: readonly unknown[]): Promise<number> {
    const [row] = await rowsOf<{ id: number }>(text, values);
    if (!row) throw new Error(`no such row: ${values.join(' ')}`);
    return row.id;
  }

  return {
    url: database.url,
    connection,
    other,
    rowsOf,
    apply: (declaration: object) => applyDeclaration(connection, declaration),
    contextId: (name: string): Promise<number> =>
      numberOf('select context_id as id from contexts where name = $1', [name]),
    groupId: (contextId: number, guid: string): Promise<number> =>
      numberOf(
        'select group_id as id from counter_groups where context_id = $1 and guid = $2::uuid',
        [contextId, guid],
      ),
    /** Adds a slice of an engine. Times in epoch seconds. */
    async addSlice({ contextId, startsAt, endsAt, engine = 0, archived = false }: AddedSlice) {
      await connection.query('insert into engines values ($1, $2) on conflict do nothing', [
        contextId,
        engine,
      ]);
      return numberOf(
        `insert into slices (context_id, engine, starts_at, ends_at, archived)
         values ($1, $2, $3, $4, $5) returning slice_id as id`,
        [contextId, engine, startsAt, endsAt, archived],
      );
    },
    /** Runs `work` in a transaction that is then rolled back, so that no other test sees it. */
    async undone<T>(work: () => Promise<T>): Promise<T> {
      await connection.query('begin');
      try {
        return await work();
      } finally {
        await connection.query('rollback');
      }
    },
    async close(): Promise<void> {
      await Promise.all([connection.end(), other.end()]);
      await database.drop();
    },
  };
}

export type AddedSlice = {
  readonly contextId: number;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly engine?: number;
  readonly archived?: boolean;
};
