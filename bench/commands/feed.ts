import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { openAsker } from '../feed/ask-between.ts';
import { type FeedReport, hourOf, type ReportedDay, renderFeed } from '../feed/feed-report.ts';
import { runDay } from '../feed/run-day.ts';
import { liveSegments } from '../load/database-sizes.ts';
import { type OwnPostgres, openOwnPostgres } from '../load/own-postgres.ts';
import { spreadOf } from '../measures/statistics.ts';
import { feedOptions } from '../options/feed-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { showProgress } from '../reports/progress.ts';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { type Product, productVersion, runCommand } from '../systems/product.ts';

/** PostgreSQL makes no checkpoints by itself: the bench makes them on the clock of the stream. */
const SETTINGS = {
  full_page_writes: 'on',
  checkpoint_timeout: '1d',
  max_wal_size: '32GB',
};

const { json, products, ...options } = feedOptions(process.argv.slice(2));
await withCleanup(measureFeed);

/** Measures the same day for each product, each with its own PostgreSQL. */
async function measureFeed(cleanup: Cleanup): Promise<void> {
  const days: ReportedDay[] = [];
  let machine = await describeMachine(null, null);
  for (const product of products) {
    const postgres = await openOwnPostgres(cleanup, SETTINGS);
    machine = await describeMachine(postgres.url, null);
    days.push(await measureDay(postgres, product, cleanup));
  }
  const report: FeedReport = { machine, options, days };
  console.log(renderFeed(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}

/** Measures a day of one-minute commits with concurrent merging, without waiting in between. */
async function measureDay(
  postgres: OwnPostgres,
  product: Product,
  cleanup: Cleanup,
): Promise<ReportedDay> {
  const version = await productVersion(product);
  showProgress(version);
  const { url, observer } = postgres;
  await declare(postgres, product);
  const ask = await openAsker({ databaseUrl: url, product }, cleanup);
  const toppers: number[] = [];
  const day = await runDay(postgres, { ...options, product }, async (minute) => {
    toppers.push(await ask(minute));
  });
  const { rows, bytes } = await liveSegments(observer);
  const hour = hourOf(options.minutes);
  return {
    version,
    samples: rows,
    segmentBytes: bytes,
    hosts: await countHosts(postgres),
    day,
    toppers: {
      early: spreadOf(toppers.slice(0, hour)),
      late: spreadOf(toppers.slice(-hour)),
    },
  };
}

async function declare({ url, folder }: OwnPostgres, product: Product): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify({ context: CONTEXT }));
  await runCommand(url, ['apply', declaration], product);
  const user = ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT];
  await runCommand(url, user, product);
}

/** Once the day is a single segment of the group, its keys are those of the day. */
async function countHosts({ observer }: OwnPostgres): Promise<number> {
  const { rows } = await observer.query<{ keys: string }>(
    `select max(key_count) as keys from segments s join counter_groups g using (group_id)
     where g.name = 'Hosts' and s.died is null`,
  );
  return Number(rows[0]?.keys);
}
