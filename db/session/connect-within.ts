import type { PoolClient } from 'pg';
import type { NodePool } from './node-pools.ts';

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
