import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distributePages, undistributePages } from '../../store/distribute/distribute-pages.ts';
import { missingPart, unfitness } from '../../store/distribute/require-cluster.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';

describe.skipIf(isOnCluster)('a database without Citus', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(() => database.drop());

  it.each([distributePages, undistributePages])(
    'cannot be distributed, and says why: %o',
    async (work) => {
      await expect(work({ databaseUrl: database.url })).rejects.toThrow(
        // Which of the two depends on whether the server has the package.
        /^Citus is not (installed in this database|loaded by this server): .*create extension citus/,
      );
    },
  );
});

describe('what keeps a database from being distributed', () => {
  const there = { isAvailable: true, isInstalled: true, isLoaded: true };

  it.each([
    [{ ...there }, null],
    [
      { isAvailable: false, isInstalled: false, isLoaded: false },
      /package must be on.*shared_preload_libraries/,
    ],
    [
      { ...there, isInstalled: false, isLoaded: false },
      /^Citus is not loaded by this server.*restart/,
    ],
    [{ ...there, isLoaded: false }, /^Citus is not loaded by this server/],
    [
      { ...there, isInstalled: false },
      /^Citus is not installed in this database: run `create extension/,
    ],
  ])('in the server: %j', (facts, reason) => {
    if (reason === null) expect(missingPart(facts)).toBeNull();
    else expect(missingPart(facts)).toMatch(reason);
  });

  const fit = { isCoordinator: true, coordinatorHasShards: false, workers: 2 };

  it.each([
    [{ ...fit }, null],
    [{ ...fit, workers: 1 }, null],
    [{ ...fit, workers: 0 }, /no worker.*citus_add_node/],
    [{ ...fit, isCoordinator: false }, /a Citus worker: it must be that of the coordinator/],
    [{ ...fit, coordinatorHasShards: true }, /must keep no shards.*shouldhaveshards/],
  ])('in the cluster: %j', (nodes, reason) => {
    if (reason === null) expect(unfitness(nodes)).toBeNull();
    else expect(unfitness(nodes)).toMatch(reason);
  });
});
