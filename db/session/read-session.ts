import type { PoolClient, QueryResult } from 'pg';
import type { WorkObserver } from '../../domain/work-observer.ts';
import { announcedPid } from '../connection/backend-pid.ts';
import type { Statement } from '../connection/statement.ts';
import {
  isCanceled,
  isNoConnection,
  isRecoveryConflict,
  toServiceError,
} from '../database-error.ts';
import { beginText } from './begin-text.ts';
import { cancelStatement } from './cancel-statement.ts';
import type { NodePool, StatementObserver } from './node-pools.ts';
import { sendCopy, sendStatement } from './send-statement.ts';
import { agree, type SnapshotCheck, SnapshotMoved, StatementsLost } from './snapshot-check.ts';
import {
  graceBound,
  isPast,
  STOPPED,
  stopSignal,
  type TimeBound,
  timedOut,
  withinBound,
} from './time-bound.ts';

export type { Statement } from '../connection/statement.ts';
export { PagesGone, type SnapshotCheck, SnapshotMoved } from './snapshot-check.ts';
export type { TimeBound } from './time-bound.ts';

export type ReadSessionOptions = {
  pool: NodePool;
  onStatement: StatementObserver;
  /** Told when each statement begins and ends. */
  onWork?: WorkObserver;
  /** Shown by PostgreSQL beside what the transaction runs. */
  requestId?: string | null;
  /** The bound of every statement that brings none of its own; null waits without limit. */
  bound: TimeBound | null;
  /** Aborted when the caller has gone: what runs for it is cancelled. */
  signal: AbortSignal;
  /** Whether the first statement may do without a transaction; see `readAlone`. */
  mayReadAlone: boolean;
};

/** Sends one statement on a connection and collects what comes back. */
type Work<T> = (client: PoolClient) => Promise<T>;

/** alone: as a transaction of its own, where none is open. */
type Task<T> = { readonly work: Work<T>; readonly alone: boolean };

/**
 * The reads of one request on one node: one connection, one snapshot (REPEATABLE READ), opened by
 * the first statement and given back by `end`. Statements run one after the other.
 *
 * A statement that fails ends its transaction; the next begins a new one, so one failed field does
 * not take the others along. A statement past its bound, or whose caller has gone, is cancelled in
 * the database by a second connection. A cancel aims at the connection and not at the statement,
 * so the connection goes back to its pool only when the cancel was answered and the statement over.
 */
export class ReadSession {
  readonly #options: ReadSessionOptions;
  #client: PoolClient | null = null;
  #inTransaction = false;
  #retried = false;
  #broken = false;
  /** The server process of the transaction, behind a pooler. */
  #pid: number | null = null;
  #ended = false;
  /** Statements that were asked for and are not over. */
  #working = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #lostSnapshots = 0;
  /** Of what was read before the transaction began, in a snapshot of its own. */
  #check: SnapshotCheck | null = null;
  #moved: SnapshotMoved | null = null;
  /** Of the transaction, as long as all that it has read could have been read alone. */
  #leavable: SnapshotCheck | null = null;
  #hasReadMore = false;

  constructor(options: ReadSessionOptions) {
    this.#options = options;
  }

  /** Which snapshot statements see: another number after a failed one, which takes it along. */
  get snapshot(): number {
    return this.#lostSnapshots;
  }

  /** Whether it has a connection now. */
  get isConnected(): boolean {
    return this.#client !== null;
  }

  /** Why nothing holds that was read, if that is so: some statement has failed with it. */
  get moved(): SnapshotMoved | null {
    return this.#moved;
  }

  /** The rows of one statement. Errors: those of the table, or a defect as it is. */
  read<Row>(statement: Statement, bound?: TimeBound | null): Promise<Row[]> {
    return this.#queue(
      async (client) => (await this.#send(client, statement)).rows as Row[],
      bound,
    );
  }

  /**
   * The rows of one statement that may well be the last: where no transaction is open it is one by
   * itself. `checkOf` says by what its snapshot is known to be no other than that of the statements
   * before it that were read so too, and of the transaction that any other statement begins.
   */
  readAlone<Row>(
    statement: Statement,
    checkOf: (rows: readonly Row[]) => SnapshotCheck,
    bound?: TimeBound | null,
  ): Promise<Row[]> {
    return this.#enqueue(async () => {
      const rows = await this.#rowsAlone<Row>(statement, bound);
      if (!this.#inTransaction) this.#noteAlone(checkOf(rows));
      else if (!this.#hasReadMore) this.#leavable ??= checkOf(rows);
      return rows;
    });
  }

  #rowsAlone<Row>(statement: Statement, given: TimeBound | null | undefined): Promise<Row[]> {
    const { pool } = this.#options;
    // Behind a pooler only a transaction knows which process it is, to cancel what runs there.
    const alone = this.#options.mayReadAlone && !pool.pooler.isPresent;
    const work = async (client: PoolClient) => (await this.#send(client, statement)).rows as Row[];
    const own = () => this.#run({ work, alone }, given);
    const { sharedAs, ...unshared } = statement;
    if (sharedAs === undefined || !alone || this.#inTransaction) return own();
    const together = async (signal: AbortSignal) => {
      const session = new ReadSession({ ...this.#options, bound: null, signal });
      try {
        return await session.#rowsAlone<Row>(unshared, null);
      } finally {
        await session.end();
      }
    };
    const bound = given ?? this.#options.bound;
    const wait = <R>(what: Promise<R>) => this.#waited(what, bound);
    const letGo = () => this.#letGo();
    const isCommon = isNoConnection;
    return pool.shared.read(sharedAs, { own, together, letGo, wait, isCommon });
  }

  /** As long as a statement of its own might take. */
  async #waited<T>(what: Promise<T>, bound: TimeBound | null): Promise<T> {
    const { stop, cleanUp } = stopSignal(this.#options.signal, bound);
    try {
      const first = await Promise.race([what, stop]);
      if (first !== STOPPED) return first;
      throw this.#explain(bound && timedOut(bound), bound);
    } finally {
      cleanUp();
    }
  }

  /**
   * What `COPY (…) TO STDOUT` gives, as it comes: many bytes reach us several times faster than as
   * rows. It takes no parameters, so nothing but integers may be written into its text.
   */
  copy(copy: Pick<Statement, 'query' | 'text'>, bound?: TimeBound | null): Promise<Buffer> {
    return this.#queue((client) => sendCopy(client, copy, this.#options), bound);
  }

  #queue<T>(work: Work<T>, bound: TimeBound | null | undefined): Promise<T> {
    this.#hasReadMore = true;
    this.#leavable = null;
    return this.#enqueue(() => this.#run({ work, alone: false }, bound));
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    this.#working += 1;
    const result = this.#tail.then(run, run);
    this.#tail = result.then(
      () => this.#done(),
      () => this.#done(),
    );
    return result;
  }

  #done(): void {
    this.#working -= 1;
  }

  /** Gives the connection back until the next statement. False: something is under way on it. */
  rest(): boolean {
    if (this.#inTransaction || this.#broken || this.#working > 0) return false;
    this.#letGo();
    return true;
  }

  /**
   * The same for a request that reads on elsewhere. Of a transaction that has read nothing but who
   * asks, and is one only as a pooler is in between, the next one here is known to see the same.
   */
  leave(): boolean {
    const check = this.#leavable;
    if (!this.#inTransaction || !check || this.#broken || this.#working > 0) return this.rest();
    this.#check = check;
    this.#leavable = null;
    this.#commit();
    return true;
  }

  #letGo(): void {
    this.#client?.release(this.#broken);
    this.#client = null;
  }

  async end(): Promise<void> {
    await this.#tail;
    this.#ended = true;
    if (this.#inTransaction && !this.#broken) this.#commit();
    else this.#letGo();
  }

  #commit(): void {
    const client = this.#client;
    this.#client = null;
    this.#inTransaction = false;
    if (!client) return;
    // Nobody waits for the end of what has only been read. A connection on which it fails loses
    // nothing, and is thrown away.
    this.#send(client, { query: 'commit', text: 'commit' }).then(
      () => client.release(),
      () => client.release(true),
    );
  }

  async #run<T>(task: Task<T>, given: TimeBound | null | undefined): Promise<T> {
    const bound = given ?? this.#options.bound;
    try {
      return await this.#attempt(task, bound);
    } catch (error) {
      // Decision 13: a standby's recovery conflict is retried once, on a new snapshot.
      if (isRecoveryConflict(error) && !this.#retried) {
        this.#retried = true;
        return this.#run(task, given);
      }
      // The next attempt at the request sends its statements without names.
      const { pooler, placement } = this.#options.pool;
      if (pooler.noteLoss(error)) this.fail(new StatementsLost(error));
      if (placement.noteRefusal(error)) this.fail(new SnapshotMoved(DISTRIBUTED, error));
      throw this.#explain(error, bound);
    }
  }

  async #attempt<T>({ work, alone }: Task<T>, bound: TimeBound | null): Promise<T> {
    this.#options.signal.throwIfAborted();
    if (this.#moved) throw this.#moved;
    if (isPast(bound)) throw timedOut(bound);
    const client = await this.#connected(bound);
    this.#options.signal.throwIfAborted();
    try {
      if (!this.#inTransaction && !alone) await this.#begin(client, bound);
      return await this.#guarded(client, work, bound);
    } catch (error) {
      await this.#rollBack(client);
      throw error;
    }
  }

  async #begin(client: PoolClient, bound: TimeBound | null): Promise<void> {
    const check = this.#check;
    const { pool, requestId = null } = this.#options;
    const { statement, read } = beginText({
      pooler: pool.pooler,
      requestId,
      check: check?.text ?? null,
    });
    const result = await this.#guarded(client, (on) => this.#send(on, statement), bound);
    this.#inTransaction = true;
    this.#check = null;
    const { pid, rows } = read(result);
    this.#pid = pid;
    if (check && !check.isSame(rows)) this.fail(new SnapshotMoved());
  }

  #noteAlone(check: SnapshotCheck): void {
    const before = this.#check;
    if (!before) this.#check = check;
    else if (!agree(before, check)) this.fail(new SnapshotMoved());
  }

  /** Fails, and with it all that the request has read. */
  fail(moved: SnapshotMoved): never {
    this.#moved = moved;
    throw moved;
  }

  async #connected(bound: TimeBound | null): Promise<PoolClient> {
    if (this.#ended) throw new Error('a read session was used after its request ended');
    if (this.#client && !this.#broken) return this.#client;
    this.#client?.release(true);
    this.#client = null;
    this.#loseSnapshot();
    this.#broken = false;
    const connecting = this.#options.pool.reads.connect();
    try {
      this.#client = await withinBound(connecting, bound);
    } catch (error) {
      // The connection that arrives too late goes straight back; its failure was reported already.
      connecting.then(
        (late) => late.release(),
        () => {},
      );
      throw error;
    }
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
      await withinBound(this.#send(client, { query: 'rollback', text: 'rollback' }), graceBound());
    } catch {
      // The connection is gone or does not answer; the error that brought us here is thrown on.
      this.#broken = true;
    }
  }

  #send(client: PoolClient, statement: Statement): Promise<QueryResult> {
    return sendStatement(client, statement, this.#options);
  }

  /** Runs a statement and cancels it when its bound passes or its caller goes. */
  async #guarded<T>(client: PoolClient, work: Work<T>, bound: TimeBound | null): Promise<T> {
    const running = work(client);
    const { stop, cleanUp } = stopSignal(this.#options.signal, bound);
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

  /** The server process that works for us. Behind a pooler a transaction has to say. */
  #pidOf(client: PoolClient): number | null {
    return this.#options.pool.pooler.isPresent ? this.#pid : announcedPid(client);
  }

  #explain(error: unknown, bound: TimeBound | null): unknown {
    // After an abort nobody reads the answer; what matters is that the work has stopped.
    if (this.#options.signal.aborted) return this.#options.signal.reason;
    if (bound && (isCanceled(error) || bound.until <= performance.now())) return timedOut(bound);
    return toServiceError(error) ?? error;
  }
}

const DISTRIBUTED = 'the pages were distributed over the workers of Citus';
