import { inject } from 'vitest';

/**
 * Whether the databases of the tests are distributed (COUNTERGRAPH_TEST_CITUS_URL). A few tests look
 * into what is otherwise there, and are left out: how a partition is detached, which statements and
 * plans read pages, how large the coordinator's database is, the dump of the schema, and a pooler
 * with one server process, as a request needs two at once.
 */
export const isOnCluster = inject('workerUrls').length > 0;

/** Of a request that reads pages once: distributed pages are read beside its snapshot (ADR 16). */
export const TRANSACTIONS_TO_READ = isOnCluster ? 2 : 1;
