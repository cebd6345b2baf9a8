import pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { parseDatabaseUrl } from '../../domain/text/database-url.ts';
import { isOutOfConnections } from '../database-error.ts';
import { ChosenConnection, TIMED_OUT } from './chosen-connection.ts';
import { destroySocket } from './end-connection.ts';
import { findPassword, operatingSystemUser } from './passfile.ts';
import { afterRunning, withinRunning } from './running-time.ts';

/** Node's timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Called = (error: Error | null, result?: unknown) => void;

/** What `query` accepts, without pg's many overloads. */
type Query = (statement: unknown, values?: unknown, callback?: Called) => Promise<unknown>;

type ClientConfig = Pick<pg.ClientConfig, 'application_name' | 'query_timeout'> & {
  /** The address of the database. libpq's variables stand in for what it leaves out. */
  readonly url: string;
};

/** What pg sends first. */
type StartupMessage = Readonly<Record<string, string>>;

/**
 * A connection whose time limits, that for opening it (LIMITS.connectTimeoutMs, unless the address
 * has one) and `query_timeout` of a statement, do not count the time in which this process was stalled (running-time.ts). pg's
 * own timers would then say that the database does not answer, although its answer has arrived.
 */
export class PatientClient extends pg.Client {
  readonly #late: string;
  readonly #connectMs: number;
  readonly #startup: StartupMessage;

  constructor({ url, ...config }: ClientConfig, late = TIMED_OUT, statementMs = 0) {
    const address = parseDatabaseUrl(url, process.env);
    const { connectTimeoutSeconds: seconds, hosts } = address;
    const connectMs = seconds === null ? LIMITS.connectTimeoutMs : seconds * 1000 * hosts.length;
    const connection = new ChosenConnection(address, connectMs);
    const user = address.user ?? operatingSystemUser();
    const database = address.database ?? user;
    const { host, port } = hosts[0];
    const complete = {
      ...config,
      connection,
      user,
      database,
      host,
      port,
      // Whether there is a password is asked only if the server does.
      password: address.password ?? (() => findPassword(address, connection.host)),
      // What is not said here, pg would take from the environment. TLS is begun underneath.
      ssl: false,
      sslnegotiation: 'postgres' as const,
      enableChannelBinding: address.bindsChannel,
      connectionTimeoutMillis: 0,
    };
    super(complete);
    this.#late = late;
    this.#connectMs = connectMs;
    this.#startup = {
      user,
      database,
      application_name: address.applicationName ?? config.application_name ?? 'countergraph',
      ...(address.options !== null && { options: address.options }),
    };
    const send: Query = (...given) => Reflect.apply(super.query, this, given);
    // It accepts all that `query` of pg does.
    this.query = patient(send, statementMs) as typeof this.query;
  }

  /** pg's own would also have what variables such as PGOPTIONS say. */
  getStartupConf(): StartupMessage {
    return this.#startup;
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const late = new Error(this.#late);
    const cancel = afterRunning(this.#connectMs, () => destroySocket(this, late));
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
  constructor({ query_timeout: statementMs, ...config }: ClientConfig) {
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

/** How long a pool makes do with the connections that it has when the server takes no more. */
const MAKE_DO_MS = 1_000;

/**
 * A pool of such connections. Waiting for one of them is limited likewise. If the server takes no
 * more connections, callers wait for those that there are.
 */
export class PatientPool extends pg.Pool {
  readonly #open = new Set<pg.PoolClient>();
  readonly #max: number;

  constructor(config: pg.PoolConfig & Pick<ClientConfig, 'url'>) {
    super({
      ...config,
      connectionTimeoutMillis: 0,
      Client: POOLED,
    });
    this.#max = this.options.max;
    this.on('connect', (client) => this.#open.add(client));
    this.on('remove', (client) => this.#open.delete(client));
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
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error)));
      });
    }
    this.#connect((error, client, done) => {
      if (isOutOfConnections(error) && this.#makeDo()) this.#connect(callback);
      else callback(error, client, done);
    });
    return undefined;
  }

  #connect(callback: Parameters<pg.Pool['connect']>[0]): void {
    // Without a limit of its own, pg adds the caller to this list if it has to wait.
    const { _pendingQueue: queue } = this as unknown as PoolInternals;
    const before = queue.length;
    super.connect(callback);
    const last = queue.at(-1);
    if (last && queue.length > before) limitWaiting(queue, last);
  }

  /** Opens no more connections for a while. Returns whether there are any. */
  #makeDo(): boolean {
    if (this.#open.size === 0) return false;
    if (this.options.max === this.#max) {
      setTimeout(() => {
        this.options.max = this.#max;
      }, MAKE_DO_MS).unref();
    }
    this.options.max = this.#open.size;
    return true;
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
