import { inject } from 'vitest';

/**
 * Whether the test databases are distributed (COUNTERGRAPH_TEST_CITUS_URL). A few tests depend on
 * what differs then, and are skipped: how a partition is detached, which statements and plans read
 * pages, the size of the coordinator's database, the dump of the schema, and a pooler with one
 * server process, as a request needs two at once.
 */
export const isOnCluster = inject('workerUrls').length > 0;

/** To read pages once: distributed ones are read in a second transaction (ADR 16). */
export const TRANSACTIONS_TO_READ = isOnCluster ? 2 : 1;
