import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkReadiness } from '../../../db/check-readiness.ts';
import { inTransaction } from '../../../db/connection/connection.ts';
import { NodePools } from '../../../db/session/node-pools.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

async function readiness(service: TestService = lab): Promise<[number, string]> {
  const { status, text } = await service.call('/readyz');
  return [status, text];
}

describe('/readyz', () => {
  it('is 200 while requests can be answered', async () => {
    expect(await readiness()).toEqual([200, 'ready\n']);
  });

  it('reports missing migrations, and is 200 again after them', async () => {
    // As text: a `Date` has no microseconds, and the migration would seem to be older than others.
    const [newest] = await lab.sql<{ name: string; id: number; run_on: string }>(
      `delete from schema_migrations where id = (select max(id) from schema_migrations)
       returning id, name, run_on::text`,
    );
    const [status, text] = await readiness();
    expect(status).toBe(503);
    expect(text).toMatch(
      /^the database schema is at (none|\d+_\w+), this version needs \d+_\w+: run migrate\n$/,
    );
    await lab.sql('insert into schema_migrations (id, name, run_on) values ($1, $2, $3)', [
      newest?.id,
      newest?.name,
      newest?.run_on,
    ]);
    expect((await readiness())[0]).toBe(200);
  });

  it('stays 200 while another server has migrated the database, and says so', async () => {
    const [{ id } = { id: 0 }] = await lab.sql<{ id: number }>(
      "insert into schema_migrations (name, run_on) values ('900_next', now()) returning id",
    );
    expect(await readiness()).toEqual([
      200,
      expect.stringMatching(
        /^ready\nwarning: the database schema is at .*: start a newer version\n$/,
      ),
    ]);
    await lab.sql('delete from schema_migrations where id = $1', [id]);
    expect(await readiness()).toEqual([200, 'ready\n']);
  });

  it('reports tables that are in no schema of search_path', async () => {
    const url = new URL(lab.databaseUrl);
    url.searchParams.set('options', '-c search_path=pg_catalog');
    const pools = new NodePools({ primaryUrl: url.href });
    expect((await checkReadiness(pools)).problem).toMatch(/^The search_path of role /);
    await pools.close();
  });

  it('reports a database that does not respond as not reachable', async () => {
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await connection.query('lock table schema_migrations in access exclusive mode');
        expect(await readiness()).toEqual([503, 'Database is not reachable\n']);
      }),
    );
    expect((await readiness())[0]).toBe(200);
  });

  it('is shared by concurrent checks of a database that does not respond', async () => {
    const isWaiting = async () => {
      const [row] = await lab.sql<{ count: number }>(
        "select count(*)::int from pg_locks where not granted and relation = 'schema_migrations'::regclass",
      );
      return row?.count;
    };
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await connection.query('lock table schema_migrations in access exclusive mode');
        const checks = Array.from({ length: 6 }, () => readiness());
        await vi.waitUntil(async () => (await isWaiting()) !== 0);
        expect(await isWaiting()).toBe(1);
        const unreachable = Array(6).fill([503, 'Database is not reachable\n']);
        expect(await Promise.all(checks)).toEqual(unreachable);
      }),
    );
    expect((await readiness())[0]).toBe(200);
  });

  it('reports a database whose control connections are all busy as not reachable', async () => {
    const pools = new NodePools({ primaryUrl: lab.databaseUrl });
    const { control } = pools.at(pools.primaryUrl);
    const busy = await Promise.all([control.connect(), control.connect()]);
    expect((await checkReadiness(pools)).problem).toBe('Database is not reachable');
    for (const client of busy) client.release();
    expect((await checkReadiness(pools)).problem).toBe(null);
    await pools.close();
  });

  it('is 503 while the server closes, which still answers requests', async () => {
    const closing = await startTestService({ databaseUrl: lab.databaseUrl });
    const isClosing = async () =>
      readMetrics((await closing.call('/metrics')).text).value('countergraph_closing');
    try {
      expect(await isClosing()).toBe(0);
      closing.beginToClose();
      expect(await readiness(closing)).toEqual([
        503,
        'draining: the server is closing, and takes no new requests\n',
      ]);
      expect(await isClosing()).toBe(1);
      expect((await closing.call('/healthz')).status).toBe(200);
      expect((await closing.rest('slices')).status).toBe(200);
    } finally {
      await closing.close();
    }
  });
});
