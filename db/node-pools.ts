import pg from 'pg';
import { LIMITS } from '../domain/limits.ts';
import { unobserved, type WorkObserver } from '../domain/work-observer.ts';
import { Pooler } from './pooler.ts';
import { SharedReads } from './shared-reads.ts';

/** What a test or a log may see of every statement that reads go through. */
export type StatementObserver = (text: string) => void;

export type NodePool = {
  readonly reads: pg.Pool;
  /** A second, small pool: a cancel must get through when every reading connection is busy. */
  readonly control: pg.Pool;
  /** What several requests ask of the node at once. */
  readonly shared: SharedReads;
  /** What stands between us and the node. */
  readonly pooler: Pooler;
};

export type NodePoolsOptions = {
  primaryUrl: string;
  onStatement?: StatementObserver;
  /** Told when each statement of the reads begins and ends. */
  onWork?: WorkObserver;
  /** A connection that was lost; the pool replaces it by itself. */
  onLostConnection?: (error: Error) => void;
  /** Told once of a node, by its address, that prepared statements are lost on the way to it. */
  onLostStatements?: (url: string, error: unknown) => void;
};

/** The connections to every PostgreSQL node that was asked for, by address. */
export class NodePools {
  readonly primaryUrl: string;
  readonly onStatement: StatementObserver;
  readonly onWork: WorkObserver;
  readonly #onLostConnection: (error: Error) => void;
  readonly #onLostStatements: (url: string, error: unknown) => void;
  readonly #pools = new Map<string, NodePool>();

  constructor(options: NodePoolsOptions) {
    this.primaryUrl = options.primaryUrl;
    this.onStatement = options.onStatement ?? (() => {});
    this.onWork = options.onWork ?? unobserved;
    this.#onLostConnection = options.onLostConnection ?? (() => {});
    this.#onLostStatements = options.onLostStatements ?? (() => {});
  }

  at(url: string): NodePool {
    const known = this.#pools.get(url);
    if (known) return known;
    const pooler = new Pooler((error) => this.#onLostStatements(url, error));
    const pool = {
      reads: this.#open(url, pooler, READS),
      control: this.#open(url, pooler, CONTROL),
      shared: new SharedReads(),
      pooler,
    };
    this.#pools.set(url, pool);
    return pool;
  }

  /** The addresses of all nodes that were asked for, and the connections to each. */
  entries(): readonly (readonly [string, NodePool])[] {
    return [...this.#pools];
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.flatMap(({ reads, control }) => [reads.end(), control.end()]));
  }

  #open(url: string, pooler: Pooler, purpose: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool({
      ...purpose,
      connectionString: url,
      connectionTimeoutMillis: LIMITS.connectTimeoutMs,
      onConnect: (client) => pooler.look(client, purpose.query_timeout ?? LIMITS.poolerWaitMs),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
    });
    // Without listeners, a connection that dies would end the process. Each tells it by itself; of
    // idle ones the pool tells it once more, with all that the connection holds.
    pool.on('connect', (client) => client.on('error', this.#onLostConnection));
    pool.on('error', () => undefined);
    return pool;
  }
}

const READS: pg.PoolConfig = {
  application_name: 'countergraph',
  max: LIMITS.poolConnections,
};

const CONTROL: pg.PoolConfig = {
  application_name: 'countergraph control',
  max: 2,
  // What it asks takes no time: a node that leaves it waiting is out of reach.
  query_timeout: LIMITS.connectTimeoutMs,
};
