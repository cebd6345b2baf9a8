import type { PoolClient } from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { announcedPid } from '../connection/backend-pid.ts';
import { failureOf } from '../connection/lost-connection.ts';
import type { Statement } from '../connection/statement.ts';
import { isNoConnection, isUnreachable } from '../database-error.ts';
import { beginText } from './begin-text.ts';
import { cancelStatement } from './cancel-statement.ts';
import {
  type Deadline,
  graceDeadline,
  isPast,
  STOPPED,
  stopSignal,
  timedOut,
  within,
} from './deadline.ts';
import { connectWithin } from './node-pools.ts';
import { type Sending, sendCopy, sendStatement } from './send-statement.ts';
import { type RejectionReason, RetryRequest, StandbyRejected } from './snapshot-check.ts';

/** How a standby's snapshot is checked to be the requested one. */
export type StandbyCheck = {
  /** A statement without parameters. */
  readonly text: string;
  /**
   * Returns what is wrong according to the statement's rows; null: it is the requested snapshot.
   */
  readonly fault: (rows: readonly unknown[]) => RejectionReason | null;
  /** Returns the history of the snapshot according to the statement's rows. */
  readonly history: (rows: readonly unknown[]) => string;
};

export type StandbySessionOptions = Sending & {
  readonly requestId: string | null;
  /** Time limit of the request; null: no limit. */
  readonly deadline: Deadline | null;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
  readonly check: StandbyCheck;
  /** Called once with the error if the session fails. */
  readonly onFailed?: (error: unknown) => void;
};

/**
 * The reads of one request on a standby that stands in for the primary, on one snapshot. The first
 * statement checks that the snapshot is the requested one. Any failure fails the session for good
 * with `StandbyRejected`, and the request retries from the start elsewhere. So the session never waits
 * for clean-up, and waits at most `LIMITS.standbyWaitMs` for all statements together.
 */
export class StandbySession {
  readonly #options: StandbySessionOptions;
  #client: PoolClient | null = null;
  #pid: number | null = null;
  #hasBegun = false;
  #history: string | null = null;
  #failure: { readonly error: unknown } | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #waitedMs = 0;

  constructor(options: StandbySessionOptions) {
    this.#options = options;
  }

  /** Whether the snapshot is known to be the requested one. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Why the request has to retry from the start; null if it does not. */
  get moved(): RetryRequest | null {
    const error = this.#failure?.error;
    return error instanceof RetryRequest ? error : null;
  }

  /** The standby's address. */
  get url(): string {
    return this.#options.pool.url;
  }

  /** The history of the snapshot; null: it has not begun. */
  get history(): string | null {
    return this.#history;
  }

  /** Returns the rows of one statement. Errors: StandbyRejected; the request's time limit; an abort. */
  read<Row>(statement: Statement, deadline?: Deadline | null): Promise<Row[]> {
    return this.#queue(async (client) => {
      const { rows } = await sendStatement(client, statement, this.#options);
      return rows as Row[];
    }, deadline);
  }

  /** See ReadSession. */
  copy(copy: Pick<Statement, 'query' | 'text'>, deadline?: Deadline | null): Promise<Buffer> {
    return this.#queue((client) => sendCopy(client, copy, this.#options), deadline);
  }

  /** Checks that the snapshot is the requested one. Errors: as for `read`. */
  begin(): Promise<void> {
    return this.#queue(async () => {}, null);
  }

  /** Fails the session: later statements fail with the same error. */
  fail(error: unknown): void {
    if (this.#failure) return;
    this.#failure = { error };
    this.#options.onFailed?.(error);
  }

  async end(): Promise<void> {
    await this.#tail;
    this.#failure ??= { error: new Error('a standby session was used after its request ended') };
    this.#giveBack('commit');
  }

  #queue<T>(
    work: (client: PoolClient) => Promise<T>,
    given: Deadline | null | undefined,
  ): Promise<T> {
    const deadline = given ?? this.#options.deadline;
    const run = () => this.#run(work, deadline);
    const result = this.#tail.then(run);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #run<T>(work: (client: PoolClient) => Promise<T>, deadline: Deadline | null): Promise<T> {
    if (this.#failure) throw this.#failure.error;
    const { signal } = this.#options;
    try {
      signal.throwIfAborted();
      if (isPast(deadline)) throw timedOut(deadline);
      const client = this.#client ?? (await this.#connect(deadline));
      if (!this.#hasBegun) await this.#begin(client, deadline);
      return await this.#guarded(client, () => work(client), deadline);
    } catch (error) {
      this.#options.pool.pooler.noteLoss(error);
      const cause = this.#client ? failureOf(this.#client, error) : error;
      const failure = explain(cause, { signal, deadline });
      this.fail(failure);
      this.#giveBack('rollback');
      throw failure;
    }
  }

  async #connect(deadline: Deadline | null): Promise<PoolClient> {
    const wait = (connecting: Promise<PoolClient>) =>
      this.#timed(async (until) => {
        const { stop, cleanUp } = stopSignal(this.#options.signal, until);
        const first = await Promise.race([connecting, stop]).finally(cleanUp);
        if (first === STOPPED) throw new StandbyRejected('slow');
        return first;
      }, deadline);
    this.#client = await connectWithin(this.#options.pool, wait);
    return this.#client;
  }

  async #begin(client: PoolClient, deadline: Deadline | null): Promise<void> {
    const { pool, requestId, check } = this.#options;
    const { statement, read } = beginText({ pooler: pool.pooler, requestId, check: check.text });
    const send = () => sendStatement(client, statement, this.#options);
    const { pid, rows } = read(await this.#guarded(client, send, deadline));
    this.#pid = pid;
    const fault = check.fault(rows);
    if (fault !== null) throw new StandbyRejected(fault);
    this.#history = check.history(rows);
    this.#hasBegun = true;
  }

  /**
   * Runs a statement. If it takes too long, it is cancelled while the request continues elsewhere.
   */
  #guarded<T>(client: PoolClient, send: () => Promise<T>, deadline: Deadline | null): Promise<T> {
    return this.#timed(async (until) => {
      const running = send();
      const { stop, cleanUp } = stopSignal(this.#options.signal, until);
      const first = await Promise.race([running, stop]).finally(cleanUp);
      if (first !== STOPPED) return first;
      this.#client = null;
      const { pool } = this.#options;
      const pid = pool.pooler.isPresent ? this.#pid : announcedPid(client);
      void cancelStatement(pool.control, { client, pid, running }).then(() => client.release(true));
      throw new StandbyRejected('slow');
    }, deadline);
  }

  /**
   * Runs `work` within what is left of `LIMITS.standbyWaitMs`. A request that has little time left
   * keeps half of it for the retry.
   */
  async #timed<T>(work: (until: Deadline) => Promise<T>, deadline: Deadline | null): Promise<T> {
    const startedAt = performance.now();
    const ownMs = LIMITS.standbyWaitMs - this.#waitedMs;
    const ms = deadline ? Math.min(ownMs, (deadline.until - startedAt) / 2) : ownMs;
    try {
      return await work({ seconds: ms / 1000, until: startedAt + ms });
    } finally {
      this.#waitedMs += performance.now() - startedAt;
    }
  }

  /**
   * Ends the transaction and releases the connection. Nobody waits for it; if it fails, the
   * connection is discarded.
   */
  #giveBack(how: 'commit' | 'rollback'): void {
    const client = this.#client;
    this.#client = null;
    if (!client) return;
    const ending = sendStatement(client, { query: how, text: how }, this.#options);
    within(ending, graceDeadline()).then(
      () => client.release(),
      () => client.release(true),
    );
  }
}

type SessionLimits = { readonly signal: AbortSignal; readonly deadline: Deadline | null };

function explain(error: unknown, { signal, deadline }: SessionLimits): unknown {
  if (signal.aborted) return signal.reason;
  if (isPast(deadline)) return timedOut(deadline);
  if (error instanceof RetryRequest) return error;
  return new StandbyRejected(
    isNoConnection(error) || isUnreachable(error) ? 'gone' : 'failed',
    error,
  );
}
