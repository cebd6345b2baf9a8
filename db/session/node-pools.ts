import pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import { Pooler } from '../connection/pooler.ts';
import { PagePlacement } from '../page-placement.ts';
import { SharedReads } from './shared-reads.ts';

/** What a test or a log may see of every statement that reads go through. */
export type StatementObserver = (text: string) => void;

export type NodePool = {
  readonly reads: pg.Pool;
  /** A second, small pool: a cancel must get through when every reading connection is busy. */
  readonly control: pg.Pool;
  /**
   * For distributed pages, which are read outside a request's snapshot: a request that holds a
   * connection of the first pool must not wait for another one of it. Without distributed pages
   * this pool opens no connection.
   */
  readonly pages: pg.Pool;
  /** Whether the pages of this node are distributed. */
  readonly placement: PagePlacement;
  /** What several requests ask of the node at once. */
  readonly shared: SharedReads;
  /** What stands between us and the node. */
  readonly pooler: Pooler;
};

/** How many connections for reading are at work, being made or waited for. */
export const busyConnections = ({ reads }: NodePool): number =>
  reads.totalCount - reads.idleCount + reads.waitingCount;

export type NodePoolsOptions = {
  primaryUrl: string;
  /** For reading, to each node. */
  connections?: number;
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
  /** For reading, to each node. */
  readonly connections: number;
  readonly #onLostConnection: (error: Error) => void;
  readonly #onLostStatements: (url: string, error: unknown) => void;
  readonly #pools = new Map<string, NodePool>();

  constructor(options: NodePoolsOptions) {
    this.primaryUrl = options.primaryUrl;
    this.connections = options.connections ?? LIMITS.poolConnections;
    this.onStatement = options.onStatement ?? (() => {});
    this.onWork = options.onWork ?? unobserved;
    this.#onLostConnection = options.onLostConnection ?? (() => {});
    this.#onLostStatements = options.onLostStatements ?? (() => {});
  }

  at(url: string): NodePool {
    const known = this.#pools.get(url);
    if (known) return known;
    const pooler = new Pooler((error) => this.#onLostStatements(url, error));
    const placement = new PagePlacement();
    const between = { pooler, placement };
    const pool = {
      reads: this.#open(url, between, { ...READS, max: this.connections }),
      control: this.#open(url, between, CONTROL),
      pages: this.#open(url, between, { ...PAGES, max: this.connections }),
      placement,
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
    await Promise.all(
      pools.flatMap(({ reads, control, pages }) => [reads.end(), control.end(), pages.end()]),
    );
  }

  #open(url: string, { pooler, placement }: Between, purpose: pg.PoolConfig): pg.Pool {
    const timeoutMs = purpose.query_timeout ?? LIMITS.poolerWaitMs;
    const pool = new pg.Pool({
      ...purpose,
      connectionString: url,
      connectionTimeoutMillis: LIMITS.connectTimeoutMs,
      async onConnect(client) {
        await pooler.look(client, timeoutMs);
        await placement.look(client, timeoutMs);
      },
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

type Between = Pick<NodePool, 'pooler' | 'placement'>;

const READS: pg.PoolConfig = {
  application_name: 'countergraph',
};

const PAGES: pg.PoolConfig = {
  application_name: 'countergraph pages',
};

const CONTROL: pg.PoolConfig = {
  application_name: 'countergraph control',
  max: 2,
  // What it asks takes no time: a node that leaves it waiting is out of reach.
  query_timeout: LIMITS.connectTimeoutMs,
};
