import { appendFile, cp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { folderAt } from '../../../postgres/data-folder.ts';
import { giveTreeTo, serverUserFor } from '../../../postgres/server-user.ts';
import { withClient } from './database.ts';
import {
  CARELESS_SETTINGS,
  dataDirIn,
  makeTemporaryFolder,
  startInFolder,
  startTestServer,
} from './test-server.ts';

export type Primary = {
  /** The address of its database `postgres`, for a superuser. It is empty: migrate it. */
  readonly url: string;
  readonly dataDir: string;
  /** Stops the server; its standbys keep running. May be called again. */
  stop(): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
};

export type Standby = Primary & {
  /** Waits until everything committed on the primary before this call can be read here. */
  waitUntilCaughtUp(): Promise<void>;
  /** Starts it at the same address, after `killServer`. */
  startAgain(): Promise<void>;
};

/** Starts a server that can have standbys. Its commits wait until the WAL is written. */
export const startPrimary = (): Promise<Primary> =>
  startTestServer({ ...CARELESS_SETTINGS, synchronous_commit: 'on', wal_keep_size: '512MB' });

/** A streaming standby: a base backup of the primary's data folder, started beside it. */
export async function startStandby(
  primary: Primary,
  settings: Readonly<Record<string, string>> = {},
): Promise<Standby> {
  const folder = await makeTemporaryFolder();
  await withClient(primary.url, (client) => copyCluster(client, primary, dataDirIn(folder)));
  const start = () => startInFolder(folder, { ...CARELESS_SETTINGS, ...settings });
  const server = await start();
  return {
    ...server,
    waitUntilCaughtUp: () => waitForReplay(primary.url, server.url),
    async startAgain() {
      const again = await start();
      if (again.url !== server.url) throw new Error('the port of the standby was taken meanwhile');
    },
  };
}

async function copyCluster(client: pg.Client, primary: Primary, dataDir: string): Promise<void> {
  const from = folderAt(primary.dataDir, undefined);
  const { cluster, pgdata } = folderAt(dataDir, undefined);
  await client.query("select pg_backup_start('standby', fast => true)");
  await cp(from.cluster, cluster, {
    recursive: true,
    filter: (path) => belongsInBackup(relative(from.pgdata, path)),
  });
  const { rows } = await client.query<{ labelfile: string }>(
    'select labelfile from pg_backup_stop(wait_for_archive => false)',
  );
  await writeFile(join(pgdata, 'backup_label'), rows[0]?.labelfile ?? '');
  await writeFile(join(pgdata, 'standby.signal'), '');
  await appendFile(
    join(pgdata, 'postgresql.auto.conf'),
    `primary_conninfo = '${connectionInfo(primary.url)}'\n`,
  );
  await giveTreeTo(await serverUserFor(from.pgdata), dataDir);
}

/** PostgreSQL manual, "Making a Base Backup": the running server's own state is left out. */
const belongsInBackup = (path: string): boolean =>
  !/^(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_dynshmem|pg_stat_tmp|pg_notify)\/.*)$/.test(
    path,
  );

function connectionInfo(url: string): string {
  const { hostname, port, username, password } = new URL(url);
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

async function waitForReplay(primaryUrl: string, standbyUrl: string): Promise<void> {
  const { rows } = await withClient(primaryUrl, (client) =>
    client.query<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn'),
  );
  await withClient(standbyUrl, async (client) => {
    while (!(await hasReplayed(client, rows[0]?.lsn))) {
      await delay(10);
    }
  });
}

async function hasReplayed(client: pg.Client, lsn: string | undefined): Promise<boolean> {
  const { rows } = await client.query<{ replayed: boolean | null }>(
    'select pg_last_wal_replay_lsn() >= $1::pg_lsn as replayed',
    [lsn],
  );
  return rows[0]?.replayed ?? false;
}
