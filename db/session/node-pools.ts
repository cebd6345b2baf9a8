import type pg from 'pg';
import type { PoolClient } from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { unobserved, type WorkObserver } from '../../domain/work-observer.ts';
import { keepLoss } from '../connection/lost-connection.ts';
import { PatientPool } from '../connection/patient-client.ts';
import { Pooler } from '../connection/pooler.ts';
import type { FailedNode } from '../database-error.ts';
import { describeDatabase } from '../describe-database.ts';
import { PagePlacement } from '../page-placement.ts';
import { SharedReads } from './shared-reads.ts';
import { SilentPrimary } from './silent-primary.ts';
import { SilentWorkers } from './silent-workers.ts';

/** Lets a test or a log see every statement sent by reads. */
export type StatementObserver = (text: string) => void;

export type NodePool = {
  /** The node's address, which may contain a password. */
  readonly url: string;
  /** The node, as errors name it. */
  readonly node: FailedNode;
  readonly reads: pg.Pool;
  /** A second, small pool: a cancel must get through when every reading connection is busy. */
  readonly control: pg.Pool;
  /**
   * For distributed pages, which are read outside a request's snapshot: a request that holds a
   * connection of the first pool must not wait for a second one from it. Without distributed pages
   * this pool opens no connection.
   */
  readonly pages: pg.Pool;
  /** The workers of Citus that do not answer, if the pages are distributed. */
  readonly workers: SilentWorkers;
  /** Whether the pages of this node are distributed. */
  readonly placement: PagePlacement;
  /** Reads of the node that concurrent requests share. */
  readonly shared: SharedReads;
  /** The pooler, if any, between us and the node. */
  readonly pooler: Pooler;
};

/** Returns the number of reading connections in use, being opened or waited for. */
export const busyConnections = ({ reads }: NodePool): number =>
  reads.totalCount - reads.idleCount + reads.waitingCount;

type NodePoolsOptions = {
  primaryUrl: string;
  /** Returns the name under which errors name a node, since its address may contain a password. */
  nodeNameOf?: (url: string) => string;
  /** Maximum number of reading connections to each node. */
  connections?: number;
  onStatement?: StatementObserver;
  /** Called when each statement of a read begins and ends. */
  onWork?: WorkObserver;
  /** Called with a node's address when a connection is lost; the pool replaces it by itself. */
  onLostConnection?: (url: string, error: Error) => void;
  /** Called once per node, with its address, when prepared statements are lost on the way to it. */
  onLostStatements?: (url: string, error: unknown) => void;
  /**
   * Called with a node's address when its workers of Citus cannot be checked, for example because
   * the role may not. Once until a check succeeds.
   */
  onUncheckedWorkers?: (url: string, error: unknown) => void;
};

/** The connection pools of every PostgreSQL node requested so far, by address. */
export class NodePools {
  readonly primaryUrl: string;
  readonly onStatement: StatementObserver;
  readonly onWork: WorkObserver;
  /** Maximum number of reading connections to each node. */
  readonly connections: number;
  readonly silentPrimary: SilentPrimary;
  readonly #nodeNameOf: (url: string) => string;
  readonly #onLostConnection: (url: string, error: Error) => void;
  readonly #onLostStatements: (url: string, error: unknown) => void;
  readonly #onUncheckedWorkers: (url: string, error: unknown) => void;
  readonly #pools = new Map<string, NodePool>();

  constructor(options: NodePoolsOptions) {
    this.primaryUrl = options.primaryUrl;
    this.silentPrimary = new SilentPrimary({
      url: options.primaryUrl,
      reads: () => this.at(options.primaryUrl).reads,
    });
    this.connections = options.connections ?? LIMITS.poolConnections;
    this.onStatement = options.onStatement ?? (() => {});
    this.onWork = options.onWork ?? unobserved;
    this.#nodeNameOf = options.nodeNameOf ?? describeDatabase;
    this.#onLostConnection = options.onLostConnection ?? (() => {});
    this.#onLostStatements = options.onLostStatements ?? (() => {});
    this.#onUncheckedWorkers = options.onUncheckedWorkers ?? (() => {});
  }

  at(url: string): NodePool {
    const known = this.#pools.get(url);
    if (known) return known;
    const pooler = new Pooler((error) => this.#onLostStatements(url, error));
    const placement = new PagePlacement();
    const between = { pooler, placement };
    const control = this.#open(url, between, CONTROL);
    const pool = {
      url,
      node: this.#nodeAt(url),
      reads: this.#open(url, between, { ...READS, max: this.connections }),
      control,
      pages: this.#open(url, between, { ...PAGES, max: this.connections }),
      workers: new SilentWorkers(control, (error) => this.#onUncheckedWorkers(url, error)),
      placement,
      shared: new SharedReads(),
      pooler,
    };
    this.#pools.set(url, pool);
    return pool;
  }

  /** Returns the address and the pools of every node requested so far. */
  entries(): readonly (readonly [string, NodePool])[] {
    return [...this.#pools];
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    for (const { workers } of pools) workers.close();
    this.silentPrimary.markReachable();
    await Promise.all(
      pools.flatMap(({ reads, control, pages }) => [reads.end(), control.end(), pages.end()]),
    );
  }

  #nodeAt(url: string): FailedNode {
    const nameOf = this.#nodeNameOf;
    return {
      isPrimary: url === this.primaryUrl,
      // The declaration that names it may be read later, or change.
      get name() {
        return nameOf(url);
      },
    };
  }

  #open(url: string, { pooler, placement }: Between, purpose: pg.PoolConfig): pg.Pool {
    const timeoutMs = purpose.query_timeout ?? LIMITS.poolerWaitMs;
    const pool = new PatientPool({
      ...purpose,
      url,
      async onConnect(client) {
        await pooler.check(client, timeoutMs);
        await placement.check(client, timeoutMs);
      },
      idleTimeoutMillis: 30_000,
    });
    // Without listeners, a connection that dies would end the process. Each connection reports its
    // own death; for an idle one the pool reports it again, along with everything that the
    // connection holds.
    pool.on('connect', (client) => {
      keepLoss(client);
      client.on('error', (error) => this.#onLostConnection(url, error));
    });
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
  // Its statements take no time: a node that keeps them waiting is unreachable.
  query_timeout: LIMITS.connectTimeoutMs,
};

/**
 * Returns a connection for reading, as long as `wait` waits for it. One that arrives later is
 * released immediately.
 */
export async function connectWithin(
  { reads }: Pick<NodePool, 'reads'>,
  wait: (connecting: Promise<PoolClient>) => Promise<PoolClient>,
): Promise<PoolClient> {
  const connecting = reads.connect();
  try {
    return await wait(connecting);
  } catch (error) {
    connecting.then(
      (late) => late.release(),
      // A failure to connect is reported by `wait`, or nobody waits for it any longer.
      () => {},
    );
    throw error;
  }
}
