import type { QueryResultRow } from 'pg';
import { type Connection, openConnection } from '../../../db/connection/connection.ts';
import { NodePools } from '../../../db/session/node-pools.ts';
import { ReadSession } from '../../../db/session/read-session.ts';
import { type ApplyReport, applyDeclaration } from '../../../ingest/declaration/apply.ts';
import { createTestDatabase } from './database.ts';

export type QueryDatabase = Awaited<ReturnType<typeof openQueryDatabase>>;

/** A database of its own for a test that calls queries directly. */
export async function openQueryDatabase() {
  const database = await createTestDatabase();
  const connection = await openConnection(database.url, 'test');
  const pools = new NodePools({ primaryUrl: database.url });

  async function sql<Row extends QueryResultRow>(text: string, values: unknown[] = []) {
    return (await connection.query<Row>(text, values)).rows;
  }

  /** The number in the only row and column that a statement returns. */
  async function numberOf(text: string, values: unknown[] = []): Promise<number> {
    const rows = await sql(text, values);
    return Number(Object.values(rows[0] ?? {})[0]);
  }

  return {
    url: database.url,
    /** A writer's connection. */
    connection,
    sql,
    /** Runs `work` in a request's session, on a snapshot of its own. */
    async read<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
      const session = new ReadSession({
        pool: pools.at(database.url),
        onStatement: () => {},
        deadline: null,
        signal: new AbortController().signal,
        mayReadAlone: true,
      });
      try {
        return await work(session);
      } finally {
        await session.end();
      }
    },
    apply: (declaration: object): Promise<ApplyReport> => applyDeclaration(connection, declaration),
    contextId: (name: string) =>
      numberOf('select context_id from contexts where name = $1', [name]),
    groupId: (context: string, name: string) =>
      numberOf(
        `select group_id from counter_groups g join contexts c using (context_id)
         where c.name = $1 and g.name = $2`,
        [context, name],
      ),
    /**
     * Runs `work` on a connection on which a built-in function is shadowed by one that returns
     * `value`, for states that would otherwise need another server.
     */
    async withFunction<T>(
      declaration: string,
      value: string,
      work: (connection: Connection) => Promise<T>,
    ): Promise<T> {
      await sql(
        `create schema shadows;
         create function shadows.${declaration} language sql as 'select ${value}'`,
      );
      const url = new URL(database.url);
      url.searchParams.set('options', '-c search_path=shadows,pg_catalog,public');
      const shadowed = await openConnection(url.href, 'test');
      try {
        return await work(shadowed);
      } finally {
        await shadowed.end();
        await sql('drop schema shadows cascade');
      }
    },
    async close(): Promise<void> {
      await connection.end();
      await pools.close();
      await database.drop();
    },
  };
}
