import { randomBytes } from 'node:crypto';
import type { Connection } from '../../../db/connection/connection.ts';

/**
 * Runs `work` while the connection acts as a new role, which may see little of the sessions of
 * others. rights: what it may do to which tables, as in GRANT.
 */
export async function asOtherRole<T>(
  connection: Connection,
  rights: string | null,
  work: () => Promise<T>,
): Promise<T> {
  const role = `countergraph_test_${randomBytes(6).toString('hex')}`;
  await connection.query(`create role ${role}`);
  try {
    if (rights !== null) await connection.query(`grant ${rights} to ${role}`);
    await connection.query(`set role ${role}`);
    return await work();
  } finally {
    await connection.query('reset role');
    await connection.query(`drop owned by ${role}; drop role ${role}`);
  }
}
