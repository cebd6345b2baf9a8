import { isOutOfConnections, isPoolExhausted, isUnreachable } from './database-error.ts';
import { expectedSchemaVersion, HiddenTables, schemaVersion } from './migrate.ts';
import type { NodePool, NodePools } from './session/node-pools.ts';

/** Checks in progress. A node that hangs keeps each of its few control connections for seconds. */
const underway = new WeakMap<NodePools, Promise<string | null>>();

/**
 * Returns null if the primary can answer, else what is missing, in words for an operator.
 * Concurrent callers share one check.
 */
export function checkReadiness(pools: NodePools): Promise<string | null> {
  const check = underway.get(pools) ?? checkSchema(pools).finally(() => underway.delete(pools));
  underway.set(pools, check);
  return check;
}

async function checkSchema(pools: NodePools): Promise<string | null> {
  try {
    const [found, expected] = await Promise.all([
      readVersion(pools.at(pools.primaryUrl)),
      expectedSchemaVersion(),
    ]);
    if (found === expected) return null;
    const advice = isNewer(found, expected) ? 'start a newer version' : 'run migrate';
    return `the database schema is at ${found}, this version needs ${expected}: ${advice}`;
  } catch (error) {
    if (isUnreachable(error) || isPoolExhausted(error)) return 'Database is not reachable';
    if (error instanceof HiddenTables) return error.message;
    throw error;
  }
}

/** If the database takes no more connections, those for reading may still answer. */
const readVersion = ({ control, reads }: NodePool): Promise<string> =>
  schemaVersion(control).catch((error) => {
    if (isOutOfConnections(error) && reads.totalCount > 0) return schemaVersion(reads);
    throw error;
  });

/** Names of migrations begin with their numbers. */
const isNewer = (found: string, expected: string): boolean =>
  Number.parseInt(found, 10) > Number.parseInt(expected, 10);
