import type { PoolClient, QueryResult } from 'pg';
import type { WorkObserver } from '../../domain/work-observer.ts';
import { announcedPid } from '../connection/backend-pid.ts';
import { failureOf } from '../connection/lost-connection.ts';
import type { Statement } from '../connection/statement.ts';
import {
  isCanceled,
  isNoConnection,
  isRecoveryConflict,
  toServiceError,
} from '../database-error.ts';
import { type Begun, beginText } from './begin-text.ts';
import { cancelStatement } from './cancel-statement.ts';
import {
  type Deadline,
  graceDeadline,
  isPast,
  overdue,
  STOPPED,
  stopSignal,
  timedOut,
  within,
} from './deadline.ts';
import { connectWithin, type NodePool, type StatementObserver } from './node-pools.ts';
import { copyTask, type ReadTask, sendStatement, statementTask } from './send-statement.ts';
import { agree, RetryRequest, type SnapshotCheck, StatementsLost } from './snapshot-check.ts';

export type { Statement } from '../connection/statement.ts';
export type { Deadline } from './deadline.ts';
export { PagesGone, RetryRequest, type SnapshotCheck } from './snapshot-check.ts';

export type ReadSessionOptions = {
  pool: NodePool;
  onStatement: StatementObserver;
  /** Called when each statement begins and ends. */
  onWork?: WorkObserver;
  /** Shown by PostgreSQL with the statements of the transaction. */
  requestId?: string | null;
  /** Time limit of every statement that has none of its own; null: no limit. */
  deadline: Deadline | null;
  /** Aborted when the caller has gone; its running statement is then cancelled. */
  signal: AbortSignal;
  /** Whether the first statement may run without a transaction; see `readAlone`. */
  mayReadAlone: boolean;
  /** Thrown in place of reading; null: reading is allowed. */
  refusal?: Error | null;
};

/**
 * The reads of one request on one node: one connection and one snapshot (REPEATABLE READ), opened
 * by the first statement and released by `end`. Statements run one after another.
 *
 * A failed statement ends its transaction, and the next statement begins a new one, so that one
 * failed field does not fail the others. A statement that is past its time limit, or whose caller
 * has gone, is cancelled in the database through a second connection. A cancel targets the
 * connection and not the statement, so the connection returns to its pool only after the cancel is
 * answered and the statement is over.
 */
export class ReadSession {
  readonly #options: ReadSessionOptions;
  #client: PoolClient | null = null;
  #inTransaction = false;
  #retried = false;
  #broken = false;
  /** The server process of the transaction; known only behind a pooler. */
  #pid: number | null = null;
  #ended = false;
  /** Number of statements that are queued or running. */
  #working = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #lostSnapshots = 0;
  /** Check of what was read before the transaction began, in other snapshots. */
  #check: SnapshotCheck | null = null;
  #moved: RetryRequest | null = null;
  /** Check of the transaction, as long as everything it has read could have been read alone. */
  #leavable: SnapshotCheck | null = null;
  #hasReadMore = false;
  /** Time limit of the statement that runs. */
  #running: Deadline | null = null;
  readonly #wasDistributed: boolean;

  constructor(options: ReadSessionOptions) {
    this.#options = options;
    this.#wasDistributed = options.pool.placement.isDistributed;
  }

  /**
   * Number of the snapshot that statements see. It changes after a failed statement, which ends the
   * snapshot.
   */
  get snapshot(): number {
    return this.#lostSnapshots;
  }

  /** Whether the session has a connection now. */
  get isConnected(): boolean {
    return this.#client !== null;
  }

  /**
   * Why everything read so far is invalid: the error with which a statement failed; null if it is
   * valid.
   */
  get moved(): RetryRequest | null {
    return this.#moved;
  }

  /** Returns the rows of one statement. Errors: service errors, or a defect as it is. */
  read<Row>(statement: Statement, deadline?: Deadline | null): Promise<Row[]> {
    return this.#queue(statementTask<Row>(statement, this.#options, false), deadline);
  }

  /**
   * Returns the rows of one statement that is likely to be the last: if no transaction is open, it
   * runs as a transaction of its own. `checkOf` returns the check by which its snapshot is known to
   * show the same data as earlier statements read this way, and as the transaction that any other
   * statement begins.
   */
  readAlone<Row>(
    statement: Statement,
    checkOf: (rows: readonly Row[]) => SnapshotCheck,
    deadline?: Deadline | null,
  ): Promise<Row[]> {
    return this.#enqueue(async () => {
      const rows = await this.#rowsAlone<Row>(statement, deadline);
      if (!this.#inTransaction) this.#noteAlone(checkOf(rows));
      else if (!this.#hasReadMore) this.#leavable ??= checkOf(rows);
      return rows;
    }, deadline);
  }

  #rowsAlone<Row>(statement: Statement, given: Deadline | null | undefined): Promise<Row[]> {
    const { pool } = this.#options;
    // Behind a pooler, only a transaction knows its server process, which a cancel needs.
    const alone = this.#options.mayReadAlone && !pool.pooler.isPresent;
    const own = () => this.#run(statementTask<Row>(statement, this.#options, alone), given);
    const { sharedAs, ...unshared } = statement;
    if (sharedAs === undefined || !alone || this.#inTransaction) return own();
    const together = async (signal: AbortSignal) => {
      const session = new ReadSession({ ...this.#options, deadline: null, signal });
      try {
        return await session.#rowsAlone<Row>(unshared, null);
      } finally {
        await session.end();
      }
    };
    const deadline = given ?? this.#options.deadline;
    const wait = <R>(what: Promise<R>) => this.#waited(what, deadline);
    const release = () => this.#release();
    const isCommon = isNoConnection;
    return pool.shared.read(sharedAs, { own, together, release, wait, isCommon });
  }

  /** Waits no longer than a statement of this session's own may take. */
  async #waited<T>(what: Promise<T>, deadline: Deadline | null): Promise<T> {
    const { stop, cleanUp } = stopSignal(this.#options.signal, deadline);
    try {
      const first = await Promise.race([what, stop]);
      if (first !== STOPPED) return first;
      throw this.#explain(deadline && timedOut(deadline), deadline);
    } finally {
      cleanUp();
    }
  }

  /**
   * Returns the output of `COPY (…) TO STDOUT` as raw bytes, which arrive several times faster than
   * rows if there are many. COPY takes no parameters, so only integers may be written into its
   * text. If no transaction is open, it begins in the same round trip.
   */
  copy(copy: Pick<Statement, 'query' | 'text'>, deadline?: Deadline | null): Promise<Buffer> {
    return this.#queue(copyTask(copy, this.#options), deadline);
  }

  #queue<T>(task: ReadTask<T>, deadline: Deadline | null | undefined): Promise<T> {
    this.#hasReadMore = true;
    this.#leavable = null;
    return this.#enqueue(() => this.#run(task, deadline), deadline);
  }

  /**
   * Runs one statement after the other. A caller whose time limit has passed does not wait until a
   * statement is cancelled, which takes long on a connection that has fallen silent.
   */
  #enqueue<T>(run: () => Promise<T>, given: Deadline | null | undefined): Promise<T> {
    this.#working += 1;
    const result = this.#tail.then(run, run);
    const done = () => this.#done();
    this.#tail = result.then(done, done);
    return within(result, overdue(given ?? this.#options.deadline));
  }

  #done(): void {
    this.#working -= 1;
  }

  /**
   * Releases the connection until the next statement. Returns false if the connection is in use.
   */
  releaseIdle(): boolean {
    if (this.#inTransaction || this.#broken || this.#working > 0) return false;
    this.#release();
    return true;
  }

  /**
   * Like `rest`, for a request that goes on reading elsewhere. Also ends a transaction that has
   * read nothing but the caller's identity and exists only because of a pooler: its check shows
   * whether the next transaction here sees the same data.
   */
  detach(): boolean {
    const check = this.#leavable;
    if (!this.#inTransaction || !check || this.#broken || this.#working > 0)
      return this.releaseIdle();
    this.#check = check;
    this.#leavable = null;
    this.#commit();
    return true;
  }

  #release(): void {
    this.#client?.release(this.#broken);
    this.#client = null;
  }

  /** Does not wait for a statement that is late: a cancel may take seconds. */
  async end(): Promise<void> {
    const finished = this.#finish();
    if (!isPast(this.#running)) await finished;
  }

  async #finish(): Promise<void> {
    await this.#tail;
    this.#ended = true;
    if (this.#inTransaction && !this.#broken) this.#commit();
    else this.#release();
  }

  #commit(): void {
    const client = this.#client;
    this.#client = null;
    this.#inTransaction = false;
    if (!client) return;
    // The transaction has only read, so nobody waits for its commit. If that fails, nothing is
    // lost, and the connection is discarded.
    this.#send(client, { query: 'commit', text: 'commit' }).then(
      () => client.release(),
      () => client.release(true),
    );
  }

  async #run<T>(task: ReadTask<T>, given: Deadline | null | undefined): Promise<T> {
    const { refusal, deadline: own } = this.#options;
    if (refusal) throw refusal;
    const deadline = given ?? own;
    this.#running = deadline;
    try {
      return await this.#attempt(task, deadline);
    } catch (error) {
      // Decision 13: a standby's recovery conflict is retried once, on a new snapshot.
      if (isRecoveryConflict(error) && !this.#retried) {
        this.#retried = true;
        return this.#run(task, given);
      }
      // The retry of the request sends its statements without names.
      const { pooler, placement } = this.#options.pool;
      if (pooler.noteLoss(error)) this.fail(new StatementsLost(error));
      if (placement.noteRefusal(error, this.#wasDistributed)) {
        this.fail(new RetryRequest(DISTRIBUTED, error));
      }
      throw this.#explain(error, deadline);
    }
  }

  async #attempt<T>(task: ReadTask<T>, deadline: Deadline | null): Promise<T> {
    this.#options.signal.throwIfAborted();
    if (this.#moved) throw this.#moved;
    if (isPast(deadline)) throw timedOut(deadline);
    const client = await this.#connected(deadline);
    this.#options.signal.throwIfAborted();
    try {
      if (this.#inTransaction || task.alone)
        return await this.#guarded(client, task.work, deadline);
      return await this.#beginWith(client, task, deadline);
    } catch (error) {
      await this.#rollBack(client);
      throw failureOf(client, error);
    }
  }

  /** Begins the transaction with its first statement. */
  async #beginWith<T>(
    client: PoolClient,
    { work, workAfter }: ReadTask<T>,
    deadline: Deadline | null,
  ): Promise<T> {
    const { pool, requestId = null } = this.#options;
    const check = this.#check?.text ?? null;
    const { statement, read } = beginText({ pooler: pool.pooler, requestId, check });
    // Behind a pooler, a cancel needs the process id that the transaction reports when it begins.
    if (workAfter === null || pool.pooler.isPresent) {
      this.#begun(read(await this.#guarded(client, (on) => this.#send(on, statement), deadline)));
      return this.#guarded(client, work, deadline);
    }
    const both = (on: PoolClient) => workAfter(on, statement);
    const { begun, result } = await this.#guarded(client, both, deadline);
    this.#begun(read(begun));
    return result;
  }

  /** Errors: RetryRequest. */
  #begun({ pid, rows }: Begun): void {
    const check = this.#check;
    this.#inTransaction = true;
    this.#check = null;
    this.#pid = pid;
    if (check && !check.isSame(rows)) this.fail(new RetryRequest());
  }

  #noteAlone(check: SnapshotCheck): void {
    const before = this.#check;
    if (!before) this.#check = check;
    else if (!agree(before, check)) this.fail(new RetryRequest());
  }

  /** Throws `moved`, and invalidates everything that the request has read. */
  fail(moved: RetryRequest): never {
    this.#moved = moved;
    throw moved;
  }

  async #connected(deadline: Deadline | null): Promise<PoolClient> {
    if (this.#ended) throw new Error('a read session was used after its request ended');
    if (this.#client && !this.#broken) return this.#client;
    this.#client?.release(true);
    this.#client = null;
    this.#loseSnapshot();
    this.#broken = false;
    const wait = (connecting: Promise<PoolClient>) => within(connecting, deadline);
    this.#client = await connectWithin(this.#options.pool, wait);
    return this.#client;
  }

  #loseSnapshot(): void {
    if (this.#inTransaction) this.#lostSnapshots += 1;
    this.#inTransaction = false;
    this.#pid = null;
  }

  async #rollBack(client: PoolClient): Promise<void> {
    this.#loseSnapshot();
    if (this.#broken) return;
    try {
      await within(this.#send(client, { query: 'rollback', text: 'rollback' }), graceDeadline());
    } catch {
      // The connection is gone or does not answer; the original error is thrown.
      this.#broken = true;
    }
  }

  #send(client: PoolClient, statement: Statement): Promise<QueryResult> {
    return sendStatement(client, statement, this.#options);
  }

  /** Runs a statement, and cancels it if its time limit passes or its caller goes away. */
  async #guarded<T>(
    client: PoolClient,
    work: ReadTask<T>['work'],
    deadline: Deadline | null,
  ): Promise<T> {
    const running = work(client);
    const { stop, cleanUp } = stopSignal(this.#options.signal, deadline);
    try {
      const first = await Promise.race([running, stop]);
      if (first !== STOPPED) return first;
      const { pool } = this.#options;
      const cancelled = { client, pid: this.#pidOf(client), running };
      if (!(await cancelStatement(pool.control, cancelled))) this.#broken = true;
      return await running;
    } finally {
      cleanUp();
    }
  }

  /** Returns the server process of our statements; behind a pooler, only a transaction knows it. */
  #pidOf(client: PoolClient): number | null {
    return this.#options.pool.pooler.isPresent ? this.#pid : announcedPid(client);
  }

  #explain(error: unknown, deadline: Deadline | null): unknown {
    // After an abort nobody reads the answer; what matters is that the work has stopped.
    if (this.#options.signal.aborted) return this.#options.signal.reason;
    if (deadline && (isCanceled(error) || isPast(deadline))) return timedOut(deadline);
    return toServiceError(error, this.#options.pool.node) ?? error;
  }
}

const DISTRIBUTED = 'the pages were distributed over the workers of Citus';
