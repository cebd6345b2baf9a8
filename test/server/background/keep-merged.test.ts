import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTEXT_MERGE_LOCK } from '../../../db/advisory-locks.ts';
import { pagePartitionName } from '../../../db/page-tables.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { SEALED_LEVEL, SETTLED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { mergeHere } from '../../../server/background/merge-in-thread.ts';
import {
  type MergeSchedulerOptions,
  mergeScheduler,
} from '../../../server/background/merge-scheduler.ts';
import { MergingTally } from '../../../server/background/merging-metrics.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { MERGE_FAN_IN, SEAL_AFTER_SECONDS } from '../../../store/merge/plan-merge.ts';
import { SWEEP_AFTER_SECONDS } from '../../../store/sweep/sweep-context.ts';
import {
  DAY,
  DAY_START,
  importLists,
  minute,
  openStoreLab,
  type StoreLab,
} from '../../store/store-lab.ts';
import { collectingStream } from '../../support/http/collecting-stream.ts';

let lab: StoreLab;
let logged: string[];

beforeEach(async () => {
  lab = await openStoreLab();
  logged = [];
});

afterEach(() => lab.close());

const DURING = DAY_START + 3600;

/** Keeps the lab merged, with a clock that the test sets. */
function keeper(options: Partial<MergeSchedulerOptions> = {}) {
  const clock = { seconds: DURING };
  const tally = new MergingTally();
  const work = mergeScheduler({
    databaseUrl: lab.databaseUrl,
    log: createLog('debug', collectingStream(logged)),
    clock: () => clock.seconds * 1000,
    tally,
    delays: null,
    mergeContext: mergeHere,
    ...options,
  });
  return { clock, tally, ...work };
}

const importMinutes = (from: number, count: number, sliceId = 1) =>
  importLists(
    lab.importer,
    Array.from({ length: count }, (_, i) => ({ list: minute(from + i), scope: { sliceId } })),
    DURING,
  );

const levels = async () =>
  [...(await lab.manifest()).segments.values()].map(({ level }) => level).sort((a, b) => a - b);

const lines = () => logged.splice(0).map((line) => JSON.parse(line));

describe('a running server', () => {
  it('merges segments when there are enough of them, and logs it', async () => {
    const { runOnce, tally } = keeper();
    await importMinutes(0, MERGE_FAN_IN - 1);
    await runOnce();
    expect(await levels()).toHaveLength(MERGE_FAN_IN - 1);
    expect(lines()).toEqual([]);
    await importMinutes(MERGE_FAN_IN, 1);
    await runOnce();
    expect(await levels()).toEqual([1]);
    expect(lines()).toMatchObject([
      { level: 30, context: 'lab', merges: 1, segments: MERGE_FAN_IN, msg: 'segments were merged' },
    ]);
    expect(tally).toMatchObject({ merges: 1, mergedSegments: MERGE_FAN_IN, sweptSegments: 0 });
    expect(tally.segments.get(1)).toMatchObject({ context: 'lab', segments: 1, waiting: 0 });
  });

  it('reports a partition that it cannot remove, and counts that as a failure', async () => {
    const { runOnce, clock, tally } = keeper();
    const unneeded = { table: 'sealed_segment_pages', sliceId: 99 } as const;
    const partition = pagePartitionName(unneeded);
    await ensurePagePartition(lab.importer, unneeded);
    await lab.importer.query(`create view in_the_way as select from ${partition}`);
    await runOnce();
    const reason = expect.stringContaining('depend');
    expect(lines()).toMatchObject([{ level: 50, refused: [{ partition, reason }] }]);
    expect(tally.last?.failed).toBe(true);
    await lab.importer.query('drop view in_the_way');
    clock.seconds += 60;
    await runOnce();
    expect(lines()).toEqual([]);
    expect(tally.last).toMatchObject({ endedAt: DURING + 60, failed: false });
  });

  it('seals a slice some time after it has ended, even without further imports', async () => {
    const { runOnce, clock } = keeper();
    await importMinutes(0, 2);
    clock.seconds = DAY_START + DAY + SEAL_AFTER_SECONDS - 1;
    await runOnce();
    // Its generation ended long before.
    expect(await levels()).toEqual([SETTLED_LEVEL]);
    clock.seconds += 1;
    await runOnce();
    expect(await levels()).toEqual([SEALED_LEVEL]);
  });

  it('sweeps replaced segments when no reader can need them any more', async () => {
    const { runOnce, clock, tally } = keeper();
    await importMinutes(0, MERGE_FAN_IN);
    await runOnce();
    clock.seconds += SWEEP_AFTER_SECONDS - 1;
    await runOnce();
    expect(await lab.rows('select from segments')).toHaveLength(MERGE_FAN_IN + 1);
    clock.seconds += 120;
    await runOnce();
    expect(await lab.rows('select from segments')).toHaveLength(1);
    expect(tally.sweptSegments).toBe(MERGE_FAN_IN);
  });

  it('skips a context that another process merges, and returns later', async () => {
    const { runOnce, tally } = keeper();
    await importMinutes(0, MERGE_FAN_IN);
    await lab.importer.query('begin');
    await lab.importer.query('select pg_advisory_xact_lock($1, 1)', [CONTEXT_MERGE_LOCK]);
    await runOnce();
    expect(lines()).toEqual([]);
    expect(tally.segments.get(1)?.waiting).toBe(MERGE_FAN_IN);
    await lab.importer.query('rollback');
    await runOnce();
    expect(await levels()).toEqual([1]);
    expect(tally.segments.get(1)?.waiting).toBe(0);
  });

  it('skips damaged segments, merges the others, and retries later', async () => {
    const { runOnce, clock, tally } = keeper();
    const [damaged] = await importMinutes(0, MERGE_FAN_IN);
    await importMinutes(2000, MERGE_FAN_IN, 2);
    const flip = `update open_segment_pages set bytes = set_byte(bytes, 9, get_byte(bytes, 9) # 1)
      where segment_id = ${damaged?.segmentId} and page = 0`;
    await lab.importer.query(flip);
    await runOnce();
    expect(await levels()).toEqual([...Array(MERGE_FAN_IN).fill(0), 1]);
    const [merged, failed] = lines();
    expect(merged).toMatchObject({ msg: 'segments were merged', merges: 1 });
    expect(failed).toMatchObject({ level: 50, context: 'lab' });
    expect(failed.damaged).toEqual([
      expect.stringMatching(/^segments \d+, .*: the digest of page 0 does not fit its bytes$/),
    ]);
    expect(tally.runs).toEqual({ ok: 0, failed: 1 });
    await runOnce();
    expect(lines()).toEqual([]);
    await lab.importer.query(flip);
    clock.seconds += 60;
    await runOnce();
    expect(await levels()).toEqual([1, 1]);
  });

  it('logs failures, and retries', async () => {
    const { runOnce, clock, tally } = keeper();
    await importMinutes(0, MERGE_FAN_IN);
    await lab.importer.query('alter table meters rename to away');
    await runOnce();
    expect(lines()).toMatchObject([
      { level: 50, context: 'lab', msg: 'segments of a context could not be merged' },
    ]);
    await lab.importer.query('alter table away rename to meters');
    clock.seconds += 60;
    await runOnce();
    expect(await levels()).toEqual([1]);
    expect(tally.runs).toEqual({ ok: 1, failed: 1 });
  });
});

describe('merging in a separate thread', () => {
  it('begins by itself', async () => {
    await importMinutes(0, MERGE_FAN_IN);
    const { mergeInThread } = await import('../../../server/background/merge-in-thread.ts');
    const { stop } = keeper({
      mergeContext: mergeInThread,
      delays: { firstMs: 0, everyMs: 3_600_000 },
    });
    while ((await levels()).length > 1);
    await stop();
    expect(await levels()).toEqual([SEALED_LEVEL]);
  });

  it('ends at once when the server is closed, and changes nothing', async () => {
    await importMinutes(0, MERGE_FAN_IN);
    const { mergeInThread } = await import('../../../server/background/merge-in-thread.ts');
    const { runOnce, stop } = keeper({ mergeContext: mergeInThread });
    await lab.importer.query('begin');
    // Holds up the merge at its last step.
    await lab.importer.query('select from context_versions where context_id = 1 for update');
    const running = runOnce();
    const waiting = `select from pg_stat_activity where application_name = 'countergraph merging'
      and datname = current_database() and wait_event_type = 'Lock'`;
    while ((await lab.rows(waiting)).length === 0);
    await stop();
    await running;
    await lab.importer.query('rollback');
    expect(await levels()).toHaveLength(MERGE_FAN_IN);
    expect(lines()).toEqual([]);
  });
});
