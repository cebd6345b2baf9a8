import type { ClientBase } from 'pg';
import { isLostStatement } from '../database-error.ts';
import { announcedPid, selectBackendPid } from './backend-pid.ts';

/** For an operator: what is wrong, and what to do. */
export const LOST_STATEMENTS =
  'the database is behind a pooler that loses prepared statements, as PgBouncer before 1.21 does in ' +
  'transaction mode, so each statement is planned anew: set pool_mode=session, or use PgBouncer 1.21 ' +
  'or newer with max_prepared_statements, or the database without a pooler';

/**
 * What the connections to a node tell of a pooler in between. In transaction mode it may give every
 * transaction to another server process, which knows nothing of what was prepared on the one before
 * and takes statements of the same name for the same.
 */
export class Pooler {
  #isPresent = false;
  #losesStatements = false;
  readonly #onLoss: (error: unknown) => void;

  constructor(onLoss: (error: unknown) => void) {
    this.#onLoss = onLoss;
  }

  /** Whether the process that works for a connection is to be asked for in each transaction. */
  get isPresent(): boolean {
    return this.#isPresent;
  }

  /** Whether statements must be sent without names. */
  get losesStatements(): boolean {
    return this.#losesStatements;
  }

  /**
   * Looks at a new connection. If there is a pooler, a named statement is tried: as each connection
   * tries the same name, the second one finds out before a request would.
   */
  async look(client: ClientBase, timeoutMs: number): Promise<void> {
    if (this.#losesStatements) return;
    const pid = await selectBackendPid(client, timeoutMs);
    if (pid === announcedPid(client)) return;
    this.#isPresent = true;
    try {
      const probe = { name: 'countergraph pooler', text: 'select 1', query_timeout: timeoutMs };
      await client.query(probe);
    } catch (error) {
      if (!this.noteLoss(error)) throw error;
    }
  }

  /** Whether a statement failed as the pooler loses them: what it belongs to must begin anew. */
  noteLoss(error: unknown): boolean {
    if (!isLostStatement(error)) return false;
    if (!this.#losesStatements) this.#onLoss(error);
    this.#losesStatements = true;
    return true;
  }
}
