import type { ClientBase } from 'pg';
import { errorCode } from './database-error.ts';

/**
 * Whether Citus has distributed the tables of pages over its workers (`countergraph distribute`),
 * as far as the connections to a node have shown. Nothing else is ever distributed.
 *
 * Each worker has its own snapshots, and Citus commits the coordinator's part of a transaction
 * before those of the workers. So a page that the manifest names may arrive late. Pages never
 * change: they are read outside the manifest's snapshot (copy-source.ts), and missing pages are
 * read again (store/read/fetch-pages.ts).
 */
export class PagePlacement {
  #hasCitus = false;
  #isDistributed = false;

  get isDistributed(): boolean {
    return this.#isDistributed;
  }

  async check(client: ClientBase, timeoutMs?: number): Promise<void> {
    this.#hasCitus = await ask(client, HAS_CITUS, timeoutMs);
    this.#isDistributed = this.#hasCitus && (await ask(client, ARE_DISTRIBUTED, timeoutMs));
  }

  /** Checks whether the placement has changed. Without Citus it cannot, so no statement is sent. */
  async lookAgain(client: ClientBase): Promise<void> {
    if (this.#hasCitus) this.#isDistributed = await ask(client, ARE_DISTRIBUTED);
  }

  /**
   * Notes and returns whether reading pages failed because they were distributed meanwhile: Citus
   * refuses the statement that reads pages of one server. wasDistributed: what was known when the
   * reader began. Several readers may be refused at the same time, and each has to be told.
   */
  noteRefusal(error: unknown, wasDistributed: boolean): boolean {
    if (wasDistributed || errorCode(error) !== FEATURE_NOT_SUPPORTED) return false;
    this.#isDistributed = true;
    return true;
  }
}

const FEATURE_NOT_SUPPORTED = '0A000';

/** Returns whether Citus has distributed the pages, by asking on this connection. */
export const selectIsDistributed = async (client: ClientBase): Promise<boolean> =>
  (await ask(client, HAS_CITUS)) && (await ask(client, ARE_DISTRIBUTED));

async function ask(client: ClientBase, text: string, timeoutMs?: number): Promise<boolean> {
  const statement = { text, ...(timeoutMs !== undefined && { query_timeout: timeoutMs }) };
  const { rows } = await client.query<{ answer: boolean }>(statement);
  return rows[0]?.answer ?? false;
}

const HAS_CITUS = `select to_regclass('pg_catalog.pg_dist_partition') is not null as answer`;

/** Only for use with Citus: elsewhere the table does not exist, and the statement would fail. */
const ARE_DISTRIBUTED = `select exists (select from pg_catalog.pg_dist_partition
  where logicalrelid = to_regclass('sealed_segment_pages')) as answer`;
