import pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { destroySocket } from './end-connection.ts';
import { afterRunning, withinRunning } from './running-time.ts';

/** Node's timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Called = (error: Error | null, result?: unknown) => void;

/** What `query` accepts, without pg's many overloads. */
type Query = (statement: unknown, values?: unknown, callback?: Called) => Promise<unknown>;

/**
 * A connection whose time limits, that for opening it (LIMITS.connectTimeoutMs) and `query_timeout`
 * of a statement, do not count the time in which this process was stalled (running-time.ts). pg's
 * own timers would then say that the database does not answer, although its answer has arrived.
 */
export class PatientClient extends pg.Client {
  readonly #late: string;

  constructor(config: pg.ClientConfig, late = 'timeout expired', statementMs = 0) {
    super({ ...config, connectionTimeoutMillis: 0 });
    this.#late = late;
    const send: Query = (...given) => Reflect.apply(super.query, this, given);
    // It accepts all that `query` of pg does.
    this.query = patient(send, statementMs) as typeof this.query;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const late = new Error(this.#late);
    const cancel = afterRunning(LIMITS.connectTimeoutMs, () => destroySocket(this, late));
    this.once('end', cancel);
    if (!callback) return super.connect().finally(cancel);
    super.connect((error: Error) => {
      cancel();
      callback(error);
    });
    return undefined;
  }
}

/** A connection of a pool, which runs one statement at a time. */
class PooledClient extends PatientClient {
  constructor({ query_timeout: statementMs, ...config }: pg.ClientConfig) {
    super(config, 'Connection terminated due to connection timeout', statementMs ?? 0);
  }
}

function patient(send: Query, statementMs: number): Query {
  return (given, values, callback) => {
    const statement = typeof given === 'string' ? { text: given } : given;
    const ms = limitOf(statement) ?? statementMs;
    // Output of COPY has no promise to wait for.
    if (ms === 0 || isSubmittable(statement)) return send(given, values, callback);
    const unlimited = Object.assign({}, statement, { query_timeout: LONGEST_TIMER_MS });
    const call = typeof values === 'function' ? (values as Called) : callback;
    const sent = send(unlimited, Array.isArray(values) ? values : undefined);
    const answer = withinRunning(sent, ms, new Error('Query read timeout'));
    if (call) {
      answer.then(
        (result) => call(null, result),
        (error: Error) => call(error),
      );
    }
    return answer;
  };
}

function limitOf(statement: unknown): number | undefined {
  const hasLimit = typeof statement === 'object' && statement !== null;
  const ms = hasLimit && 'query_timeout' in statement ? statement.query_timeout : undefined;
  return typeof ms === 'number' ? ms : undefined;
}

const isSubmittable = (statement: unknown): boolean =>
  typeof statement === 'object' && statement !== null && 'submit' in statement;

/** The pool calls this with its own options, which pg does not type. */
const POOLED = PooledClient as unknown as NonNullable<pg.PoolConfig['Client']>;

/** A caller that waits for a connection of a pool. */
type Waiting = { callback: (...answer: unknown[]) => void; timedOut: boolean };

/** pg keeps these callers on the pool but does not type them. */
type PoolInternals = { readonly _pendingQueue: Waiting[] };

/** A pool of such connections. Waiting for one of them is limited likewise. */
export class PatientPool extends pg.Pool {
  constructor(config: pg.PoolConfig) {
    super({
      ...config,
      connectionTimeoutMillis: 0,
      Client: POOLED,
    });
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(
    callback: (
      error: Error | undefined,
      client: pg.PoolClient | undefined,
      done: (release?: unknown) => void,
    ) => void,
  ): void;
  override connect(
    callback?: Parameters<pg.Pool['connect']>[0],
  ): Promise<pg.PoolClient> | undefined {
    // Without a limit of its own, pg adds the caller to this list if it has to wait.
    const { _pendingQueue: queue } = this as unknown as PoolInternals;
    const before = queue.length;
    const connecting = callback ? super.connect(callback) : super.connect();
    const last = queue.at(-1);
    if (last && queue.length > before) limitWaiting(queue, last);
    return connecting ?? undefined;
  }
}

/** Does what pg does when its own time limit passes, which it would not see as patiently. */
function limitWaiting(queue: Waiting[], waiting: Waiting): void {
  const { callback } = waiting;
  const cancel = afterRunning(LIMITS.connectTimeoutMs, () => {
    const place = queue.indexOf(waiting);
    if (place >= 0) queue.splice(place, 1);
    waiting.timedOut = true;
    callback(new Error('timeout exceeded when trying to connect'));
  });
  waiting.callback = (...answer) => {
    cancel();
    callback(...answer);
  };
}
