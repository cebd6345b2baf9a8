import { isOutOfConnections, isPoolExhausted, isUnreachable } from './database-error.ts';
import { isOfLast17 } from './former-schema.ts';
import { expectedSchemaVersion, HiddenTables, schemaVersion } from './migrate.ts';
import type { NodePool, NodePools } from './session/node-pools.ts';

/** Checks in progress. A node that hangs keeps each of its few control connections for seconds. */
const underway = new WeakMap<NodePools, Promise<DatabaseReadiness>>();

/** In words for an operator. */
export type DatabaseReadiness = {
  /** Why the primary cannot answer; null: it can. */
  readonly problem: string | null;
  /** What should be done although it answers. */
  readonly warning: string | null;
};

/** Checks whether the primary can answer. Concurrent callers share one check. */
export function checkReadiness(pools: NodePools): Promise<DatabaseReadiness> {
  const check = underway.get(pools) ?? checkSchema(pools).finally(() => underway.delete(pools));
  underway.set(pools, check);
  return check;
}

async function checkSchema(pools: NodePools): Promise<DatabaseReadiness> {
  try {
    const [found, expected] = await Promise.all([
      readVersion(pools.at(pools.primaryUrl)),
      expectedSchemaVersion(),
    ]);
    if (found === expected) return { problem: null, warning: null };
    const mismatch = `the database schema is at ${found}, this version needs ${expected}`;
    // Another server has migrated it, in an upgrade of one server after the other. What this one
    // reads and writes is still there; if all were taken out of service, nobody would answer.
    return isNewer(found, expected)
      ? { problem: null, warning: `${mismatch}: start a newer version` }
      : notReady(`${mismatch}: run migrate`);
  } catch (error) {
    if (isUnreachable(error) || isPoolExhausted(error))
      return notReady('Database is not reachable');
    if (error instanceof HiddenTables) return notReady(error.message);
    throw error;
  }
}

const notReady = (problem: string): DatabaseReadiness => ({ problem, warning: null });

/** If the database takes no more connections, those for reading may still answer. */
const readVersion = ({ control, reads }: NodePool): Promise<string> =>
  schemaVersion(control).catch((error) => {
    if (isOutOfConnections(error) && reads.totalCount > 0) return schemaVersion(reads);
    throw error;
  });

/** Names of migrations begin with their numbers, which version 2.0 began again. */
const isNewer = (found: string, expected: string): boolean =>
  !isOfLast17(found) && Number.parseInt(found, 10) > Number.parseInt(expected, 10);
