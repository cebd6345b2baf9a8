import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate, schemaVersion } from '../../db/migrate.ts';
import { convertDatabase } from '../../store/from-1.7/convert-database.ts';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';

describe('a streaming standby of an embedded server', () => {
  let primary: Primary;
  let standby: Standby;

  beforeAll(async () => {
    primary = await startPrimary();
    standby = await startStandby(primary);
  });

  afterAll(async () => {
    await standby?.remove();
    await primary?.remove();
  });

  const inRecovery = (url: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query('select pg_is_in_recovery() as standby');
      return rows[0].standby;
    });

  test('reports that it is in recovery, and its primary that it is not', async () => {
    expect(await inRecovery(standby.url)).toBe(true);
    expect(await inRecovery(primary.url)).toBe(false);
  });

  test('shows what is committed on the primary', async () => {
    const { to } = await migrate(primary.url);
    await standby.waitUntilCaughtUp();
    expect(await withClient(standby.url, schemaVersion)).toBe(to);
  });

  test('cannot be converted itself, and need not be once its primary is', async () => {
    const convert = () => convertDatabase({ databaseUrl: standby.url });
    await migrate(primary.url);
    await withClient(primary.url, (client) =>
      client.query(
        `create table format_1_open_pages (slice_id integer) partition by list (slice_id);
         create table format_1_sealed_pages (slice_id integer) partition by list (slice_id)`,
      ),
    );
    await standby.waitUntilCaughtUp();
    await expect(convert()).rejects.toThrow(/is a standby .*: migrate its primary/);
    await makeReady(primary.url);
    await standby.waitUntilCaughtUp();
    expect(await convert()).toBeNull();
  });

  test('needs no migration once its primary has it, and cannot be migrated itself', async () => {
    await migrate(primary.url);
    await standby.waitUntilCaughtUp();
    expect((await migrate(standby.url)).applied).toEqual([]);
    await withClient(primary.url, (client) => client.query('drop table schema_migrations'));
    await standby.waitUntilCaughtUp();
    await expect(migrate(standby.url)).rejects.toThrow(/is a standby .*: migrate its primary/);
  });

  test('refuses writes', async () => {
    const write = withClient(standby.url, (client) => client.query('create table x ()'));
    await expect(write).rejects.toThrow(/read-only transaction/);
  });

  test('keeps answering when its primary is gone', async () => {
    await primary.stop();
    expect(await inRecovery(standby.url)).toBe(true);
  });
});
