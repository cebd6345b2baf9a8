import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { PatientPool } from '../../../db/connection/patient-client.ts';
import { isOutOfConnections } from '../../../db/database-error.ts';
import { withClient } from '../../support/database/database.ts';

const role = `countergraph_test_${randomBytes(6).toString('hex')}`;

/** The address of a role that may have two connections. */
let url: string;

beforeAll(async () => {
  await withClient(inject('adminUrl'), (client) =>
    client.query(`create role ${role} login password 'pw' connection limit 2`),
  );
  const address = new URL(inject('adminUrl'));
  address.username = role;
  address.password = 'pw';
  url = address.href;
});

afterAll(() => withClient(inject('adminUrl'), (client) => client.query(`drop role ${role}`)));

it('callers wait for the connections that there are, if the server takes no more', async () => {
  const pool = new PatientPool({ url, max: 8 });
  await pool.query('select 1');
  const pids = await Promise.all(
    Array.from({ length: 30 }, () => pool.query('select pg_backend_pid() as pid, pg_sleep(0.01)')),
  );
  expect(new Set(pids.map(({ rows }) => rows[0].pid)).size).toBeLessThanOrEqual(2);
  await pool.end();
});

it('callers of a pool that has none are told, and are served once there is room', async () => {
  const other = new PatientPool({ url, max: 2 });
  const held = await Promise.all([other.connect(), other.connect()]);
  const pool = new PatientPool({ url });
  const refused = await pool.query('select 1').catch((error: unknown) => error);
  expect(isOutOfConnections(refused)).toBe(true);
  for (const client of held) client.release();
  await other.end();
  await expect
    .poll(() => pool.query('select 1 as one').catch(() => null))
    .toMatchObject({
      rows: [{ one: 1 }],
    });
  await pool.end();
});
