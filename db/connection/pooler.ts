import type { ClientBase } from 'pg';
import { isLostStatement } from '../database-error.ts';
import { announcedPid, selectBackendPid } from './backend-pid.ts';

/** For an operator: what is wrong, and what to do. */
export const LOST_STATEMENTS =
  'the database is behind a pooler that loses prepared statements, as PgBouncer before 1.21 does in ' +
  'transaction mode, so each statement is planned again: set pool_mode=session, or use PgBouncer 1.21 ' +
  'or newer with max_prepared_statements, or the database without a pooler';

/**
 * What the connections to a node reveal about a pooler in between. In transaction mode, a pooler
 * may run every transaction in another server process, which knows nothing of what was prepared in
 * the previous one, and treats statements of the same name as the same.
 */
export class Pooler {
  #isPresent = false;
  #losesStatements = false;
  readonly #onLoss: (error: unknown) => void;

  constructor(onLoss: (error: unknown) => void) {
    this.#onLoss = onLoss;
  }

  /** Whether there is a pooler, so that each transaction has to ask for its server process. */
  get isPresent(): boolean {
    return this.#isPresent;
  }

  /** Whether statements must be sent without names. */
  get losesStatements(): boolean {
    return this.#losesStatements;
  }

  /**
   * Checks a new connection. If there is a pooler, tries a named statement: each connection tries
   * the same name, so the second one detects a loss before a request would.
   */
  async check(client: ClientBase, timeoutMs: number): Promise<void> {
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

  /**
   * Notes and returns whether a statement failed because the pooler loses prepared statements. What
   * the statement belongs to must then retry from the start.
   */
  noteLoss(error: unknown): boolean {
    if (!isLostStatement(error)) return false;
    if (!this.#losesStatements) this.#onLoss(error);
    this.#losesStatements = true;
    return true;
  }
}
