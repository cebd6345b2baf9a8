import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import { showProgress } from '../reports/progress.ts';
import { startEmbedded } from '../systems/product.ts';

export type OwnPostgres = {
  readonly url: string;
  /** Folder for files of this run, removed at the end. */
  readonly folder: string;
  /** A connection that is used only for measurements. */
  readonly observer: pg.Client;
};

/** Starts an empty PostgreSQL for this run. `settings` override those of the product. */
export async function openOwnPostgres(
  cleanup: Cleanup,
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-bench-'));
  // PostgreSQL does not run as root, so its user needs access.
  await chmod(folder, 0o755);
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  showProgress('starting PostgreSQL');
  const { url, dataDir, stop } = await startEmbedded({ dataDir: join(folder, 'data'), settings });
  // When started as root, the data may be in another folder than the one requested.
  cleanup.add(() => rm(dataDir, { recursive: true, force: true }));
  cleanup.add(stop);
  const observer = new pg.Client({ connectionString: url, application_name: 'bench observer' });
  await observer.connect();
  cleanup.add(() => observer.end());
  return { url, folder, observer };
}
