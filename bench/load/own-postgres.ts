import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Cleanup } from '../cleanup.ts';
import { showProgress } from '../reports/progress.ts';
import { startEmbedded } from '../systems/product.ts';

export type OwnPostgres = {
  readonly url: string;
  /** For files of this run; removed with it. */
  readonly folder: string;
  /** A connection that looks on: it measures and does not work. */
  readonly observer: pg.Client;
};

/** An empty PostgreSQL of this run's own. settings: over those that the product starts it with. */
export async function openOwnPostgres(
  cleanup: Cleanup,
  settings: Readonly<Record<string, string>> = {},
): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-bench-'));
  // PostgreSQL does not run as root; its user has to get in.
  await chmod(folder, 0o755);
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  showProgress('starting PostgreSQL');
  const { url, dataDir, stop } = await startEmbedded({ dataDir: join(folder, 'data'), settings });
  // As root the data may lie elsewhere than asked for.
  cleanup.add(() => rm(dataDir, { recursive: true, force: true }));
  cleanup.add(stop);
  const observer = new pg.Client({ connectionString: url, application_name: 'bench observer' });
  await observer.connect();
  cleanup.add(() => observer.end());
  return { url, folder, observer };
}
