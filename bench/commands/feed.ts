import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { openAsker } from '../feed/ask-between.ts';
import { type FeedReport, hourOf, renderFeed } from '../feed/feed-report.ts';
import { runDay } from '../feed/run-day.ts';
import { liveSegments } from '../load/database-sizes.ts';
import { type OwnPostgres, openOwnPostgres } from '../load/own-postgres.ts';
import { spreadOf } from '../measures/statistics.ts';
import { feedOptions } from '../options/feed-options.ts';
import { describeMachine } from '../reports/machine.ts';
import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { runCommand } from '../systems/product.ts';

/** PostgreSQL makes no checkpoints by itself: the bench makes them on the clock of the stream. */
const SETTINGS = {
  full_page_writes: 'on',
  checkpoint_timeout: '1d',
  max_wal_size: '32GB',
};

const { json, ...options } = feedOptions(process.argv.slice(2));
await withCleanup(measureFeed);

/** Measures a day of one-minute commits with concurrent merging, without waiting in between. */
async function measureFeed(cleanup: Cleanup): Promise<void> {
  const postgres = await openOwnPostgres(cleanup, SETTINGS);
  const { url, observer } = postgres;
  await declare(postgres);
  const ask = await openAsker(url, cleanup);
  const toppers: number[] = [];
  const day = await runDay(postgres, { ...options, json }, async (minute) => {
    toppers.push(await ask(minute));
  });
  const { rows, bytes } = await liveSegments(observer);
  const hour = hourOf(options.minutes);
  const report: FeedReport = {
    machine: await describeMachine(url, null),
    options,
    samples: rows,
    segmentBytes: bytes,
    hosts: await countHosts(postgres),
    day,
    toppers: {
      early: spreadOf(toppers.slice(0, hour)),
      late: spreadOf(toppers.slice(-hour)),
    },
  };
  console.log(renderFeed(report));
  if (json) await writeFile(json, `${JSON.stringify(report, null, 2)}\n`);
}

async function declare({ url, folder }: OwnPostgres): Promise<void> {
  const declaration = join(folder, 'declaration.json');
  await writeFile(declaration, JSON.stringify({ context: CONTEXT }));
  await runCommand(url, ['apply', declaration]);
  await runCommand(url, ['user', 'add', USER, '--token', TOKEN, '--context', CONTEXT]);
}

/** Once the day is a single segment of the group, its keys are those of the day. */
async function countHosts({ observer }: OwnPostgres): Promise<number> {
  const { rows } = await observer.query<{ keys: string }>(
    `select max(key_count) as keys from segments s join counter_groups g using (group_id)
     where g.name = 'Hosts' and s.died is null`,
  );
  return Number(rows[0]?.keys);
}
