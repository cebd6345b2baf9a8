import { databaseBytes, walBytes } from '../load/database-sizes.ts';
import type { OwnPostgres } from '../load/own-postgres.ts';
import type { FeedOptions } from '../options/feed-options.ts';
import { showProgress } from '../reports/progress.ts';
import type { Product } from '../systems/product.ts';
import { createFlowTraffic } from '../traffic/flow-traffic.ts';
import { BUCKET_SECONDS, DAY_SECONDS, START } from '../traffic/traffic.ts';
import { type Merging, startMerging } from './merge-beside.ts';
import { openCommitter } from './open-committer.ts';

export type MinuteFigures = {
  readonly ms: number;
  /** CPU time of this process, including a merge beside the commit. */
  readonly cpuMs: number;
  /** WAL of the minute's commit and of a merge beside it. */
  readonly walBytes: number;
  /** Number of merges that ran beside the commit. */
  readonly merges: number;
};

export type DayFigures = {
  readonly minutes: readonly MinuteFigures[];
  readonly walBytes: number;
  /** Number of merges, including those that seal the day at the end. */
  readonly merges: number;
  readonly mergedBytes: number;
  /** Growth of the database over its size without samples. */
  readonly disk: { readonly most: number; readonly end: number };
};

export type DayOptions = Pick<FeedOptions, 'minutes' | 'flows' | 'keys'> & {
  readonly product: Product;
};

/** Time from the end of a minute to the commit of its flows. */
const LATENESS_SECONDS = 30;
/** In minutes of the stream. */
const CHECKPOINT_EVERY = 5;
const PROGRESS_EVERY = 60;
/** Longer than a slice must be quiet to be sealed, and than replaced segments wait for a sweep. */
const QUIET_SECONDS = 1000;

/**
 * Commits a day minute by minute without waiting in between. A merge run starts with each commit,
 * and both end before the next commit, because a minute is longer than either.
 */
export async function runDay(
  { url, observer }: OwnPostgres,
  options: DayOptions,
  between: (minute: number) => Promise<void>,
): Promise<DayFigures> {
  let nowMs = START * 1000;
  const target = { product: options.product, databaseUrl: url, nowMs: () => nowMs };
  const commit = await openCommitter({ ...target, start: START });
  const merging = await startMerging(target);
  const flowsOf = createFlowTraffic({
    flowsPerMinute: options.flows,
    keys: options.keys,
    seed: 1,
  });
  const empty = await databaseBytes(observer);
  const walBefore = await walBytes(observer);
  const minutes: MinuteFigures[] = [];
  const merged = { merges: 0, bytes: 0 };
  let most = 0;
  const note = async (look: Awaited<ReturnType<Merging['look']>>) => {
    merged.merges += look.merges;
    merged.bytes += look.bytes;
    most = Math.max(most, (await databaseBytes(observer)) - empty);
  };
  for (let minute = 0; minute < options.minutes; minute += 1) {
    if (minute % PROGRESS_EVERY === 0) showProgress(`committing from minute ${minute} on`);
    const endsAt = START + (minute + 1) * BUCKET_SECONDS;
    nowMs = (endsAt + LATENESS_SECONDS) * 1000;
    const flows = flowsOf(minute);
    const wal = await walBytes(observer);
    const looking = merging.look();
    const cpu = process.cpuUsage();
    const started = performance.now();
    await commit(minute, flows);
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const look = await looking;
    minutes.push({
      ms,
      cpuMs: (user + system) / 1000,
      walBytes: (await walBytes(observer)) - wal,
      merges: look.merges,
    });
    await note(look);
    await between(minute);
    if (minute % CHECKPOINT_EVERY === CHECKPOINT_EVERY - 1) await observer.query('checkpoint');
  }
  showProgress('sealing the day');
  for (const quiet of [1, 2]) {
    nowMs = (START + DAY_SECONDS + quiet * QUIET_SECONDS) * 1000;
    await note(await merging.look());
  }
  await merging.stop();
  const wal = (await walBytes(observer)) - walBefore;
  await observer.query('checkpoint');
  const end = (await databaseBytes(observer)) - empty;
  return {
    minutes,
    walBytes: wal,
    merges: merged.merges,
    mergedBytes: merged.bytes,
    disk: { most, end },
  };
}
