import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { lockContext } from '../../../db/connection/lock-context.ts';
import { withArchiveSession } from '../../../store/archive/archive-session.ts';
import { archiveSlice } from '../../../store/archive/archive-slice.ts';
import { planSlices } from '../../../store/archive/plan-slices.ts';
import { findPool } from '../../../store/archive/pool-folder.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import type { SlicesBody } from '../../support/http/answers.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { keepingOf, makePoolFolder, partitionedSlices, removeFolder } from './keep-support.ts';

const GROUP = guidOf(1);
const OLD = 'slice-20240715-0000';

const line = (key: string, ts: number, value: number): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: value },
});

let lab: TestService;
let pool: string;
let reader: pg.Client;
let keeping: ReturnType<typeof keepingOf>;

beforeAll(async () => {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper', path: pool }] },
    lines: [line('a', T0 + 60, 5), line('b', T0 + 120, 7), line('new', T0 + 2 * DAY, 9)],
  });
  lab.clock.seconds = T0 + 20 * DAY;
  keeping = keepingOf(lab, { detachWaitMs: 200 });
});

afterAll(async () => {
  await lab.close();
  await removeFolder(pool);
});

beforeEach(async () => {
  reader = new pg.Client({ connectionString: lab.databaseUrl });
  await reader.connect();
});

afterEach(async () => {
  await reader.end();
  // Clean up, so that the next test finds the slice restored.
  await lab.dropExpiredNow();
  if ((await keeping.list()).some(({ archived }) => archived)) await keeping.restore(OLD);
  expect(await partitionedSlices(lab)).toHaveLength(2);
  expect(await keeping.verify()).toMatchObject({ differences: [] });
});

const statuses = async () =>
  (await lab.ok<SlicesBody>('slices')).slices.map(({ status }) => status);

/** Counts everything that a reader may read, in its snapshot. */
const seen = async () =>
  (
    await reader.query(
      `select (select count(*)::int from slices where not archived) as slices,
         (select count(*)::int from open_segment_pages p join segments using (segment_id)
            where p.slice_id = 1 and died is null) as pages,
         (select count(*)::int from coverage) as coverage,
         (select count(*)::int from segments where died is null) as segments`,
    )
  ).rows[0];

describe('a reader whose snapshot is older than the archiving', () => {
  it('sees everything as before, even pages that it reads only afterwards', async () => {
    const before = await seen();
    expect(before).toMatchObject({ slices: 2, segments: 2 });
    expect(before.pages).toBeGreaterThan(0);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from contexts');
    await keeping.archive(OLD);
    expect(await statuses()).toEqual(['archived', 'available']);
    expect(await seen()).toEqual(before);
    expect(await partitionedSlices(lab)).toHaveLength(2);
    await reader.query('commit');
    await lab.dropExpiredNow();
    expect(await partitionedSlices(lab)).toHaveLength(1);
  });

  it.skipIf(isOnCluster)(
    'blocks neither new readers nor imports while the partition is half detached',
    async () => {
      // It holds no snapshot, but has read pages in its transaction: the detach waits for it.
      await reader.query('begin');
      await seen();
      await keeping.archive(OLD);
      const pending = 'select from pg_inherits where inhdetachpending';
      expect(await lab.sql(pending)).toHaveLength(1);
      expect(await statuses()).toEqual(['archived', 'available']);
      expect((await lab.topper({ counter_group: GROUP, recentsecs: 9 * DAY })).keys).toHaveLength(
        1,
      );
      await expect(keeping.restore(OLD)).rejects.toThrow(`${OLD} cannot be restored yet`);
      await lab.importSamples([line('later', T0 + 4 * DAY, 1)]);
      expect((await lab.topper({ counter_group: GROUP, recentsecs: 9 * DAY })).keys).toHaveLength(
        2,
      );
      await keeping.drop('slice-20240719-0000');
      await reader.query('commit');
      await lab.dropExpiredNow();
      expect(await lab.sql(pending)).toEqual([]);
      expect(await partitionedSlices(lab)).toHaveLength(1);
    },
  );

  it('sees everything as before, even if the slice is restored meanwhile', async () => {
    await reader.query('begin isolation level repeatable read');
    const before = await seen();
    await keeping.archive(OLD);
    await keeping.restore(OLD);
    expect(await statuses()).toEqual(['available', 'available']);
    expect(await seen()).toEqual(before);
    await reader.query('commit');
  });

  it('sees nothing of what is restored meanwhile', async () => {
    await keeping.archive(OLD);
    await reader.query('begin isolation level repeatable read');
    const before = await seen();
    expect(before).toMatchObject({ slices: 1, pages: 0 });
    await keeping.restore(OLD);
    expect(await statuses()).toEqual(['available', 'available']);
    expect(await seen()).toEqual(before);
    await reader.query('commit');
  });
});

describe('archiving in a locked context', () => {
  it('waits for the lock, and reports that it waits', async () => {
    let told = 0;
    let archiving: Promise<unknown> = Promise.resolve();
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await lockContext(connection, 1, () => {});
        const waits = new Promise<void>((resolve) => {
          const onWaiting = () => {
            told += 1;
            resolve();
          };
          const target = { databaseUrl: lab.databaseUrl, context: CONTEXT, onWaiting };
          archiving = withArchiveSession(target, async (session) => {
            const selection = { before: T0 + DAY, names: null, engine: null, pool: null };
            const { slices } = await planSlices(session, 'archive', selection);
            for (const slice of slices) {
              await archiveSlice(session, slice, await findPool(session, null));
            }
          });
        });
        await waits;
        expect(await statuses()).toEqual(['available', 'available']);
      }),
    );
    await archiving;
    expect(told).toBe(1);
    expect(await statuses()).toEqual(['archived', 'available']);
  });
});
