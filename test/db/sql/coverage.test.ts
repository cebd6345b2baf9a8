import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestBucketBy } from '../../../db/newest-bucket.ts';
import {
  dateCoverage,
  repairCoverage,
  selectWrongCoverage,
  upsertCoverage,
} from '../../../db/sql/coverage.ts';
import { openSegmentLab, type SegmentLab } from './segment-lab.ts';

let lab: SegmentLab;

beforeAll(async () => {
  lab = await openSegmentLab();
});

afterAll(() => lab.close());

type Covered = {
  readonly sliceId?: number;
  readonly groupId?: number;
  readonly probeId?: number;
  readonly first?: number;
  readonly last?: number;
  /** SQL for the times at which it was committed and its newest bucket arrived. */
  readonly committedAt?: string;
  readonly newestAt?: string;
};

async function cover({ committedAt = 'now()', newestAt = 'now()', ...row }: Covered) {
  const { sliceId = lab.sliceId, groupId = lab.groupId, probeId = 0, first = 0, last = 600 } = row;
  await lab.connection.query(
    `insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket, committed_at,
       newest_at)
     values ($1, $2, $3, $4, $5, ${committedAt}, ${newestAt})`,
    [sliceId, groupId, probeId, first, last],
  );
}

const coverage = () =>
  lab.rowsOf(
    `select slice_id as "sliceId", group_id as "groupId", probe_id as "probeId",
       first_bucket::int as first, last_bucket::int as last
     from coverage order by 1, 2, 3`,
  );

describe('coverage that differs from the segments', () => {
  it('is too wide, too narrow, missing or without segments, and becomes right', async () => {
    await lab.undone(async () => {
      const { connection, contextId, sliceId, nextSliceId, groupId, otherGroupId } = lab;
      await lab.add(
        lab.segment(1),
        lab.segment(2, { firstBucket: 600, lastBucket: 1200 }),
        lab.segment(3, { probeId: 1, lastBucket: 1200 }),
        lab.segment(4, { groupId: otherGroupId }),
        lab.segment(5, { sliceId: nextSliceId }),
        lab.segment(6, { sliceId: nextSliceId, lastBucket: 1200 }),
      );
      await lab.kill(6);
      await cover({ last: 1200 });
      await cover({ probeId: 1, first: 60, last: 600 });
      await cover({ probeId: 2 });
      await cover({ sliceId: nextSliceId, last: 1200 });
      const wrong = await selectWrongCoverage(connection, contextId);
      expect(wrong).toEqual([
        { sliceId, groupId, probeId: 1, storedFirst: 60, storedLast: 600, first: 0, last: 1200 },
        { sliceId, groupId, probeId: 2, storedFirst: 0, storedLast: 600, first: null, last: null },
        {
          sliceId,
          groupId: otherGroupId,
          probeId: 0,
          storedFirst: null,
          storedLast: null,
          first: 0,
          last: 600,
        },
        {
          sliceId: nextSliceId,
          groupId,
          probeId: 0,
          storedFirst: 0,
          storedLast: 1200,
          first: 0,
          last: 600,
        },
      ]);
      await repairCoverage(connection, wrong);
      expect(await selectWrongCoverage(connection, contextId)).toEqual([]);
      expect(await coverage()).toEqual([
        { sliceId, groupId, probeId: 0, first: 0, last: 1200 },
        { sliceId, groupId, probeId: 1, first: 0, last: 1200 },
        { sliceId, groupId: otherGroupId, probeId: 0, first: 0, last: 600 },
        { sliceId: nextSliceId, groupId, probeId: 0, first: 0, last: 600 },
      ]);
    });
  });

  it('is not looked for in archived slices and in other contexts', async () => {
    await lab.undone(async () => {
      const { connection, contextId, elsewhere, groupIdElsewhere: groupId } = lab;
      const slice = { startsAt: 0, endsAt: 86_400 };
      const sliceId = await lab.addSlice({ ...slice, contextId: elsewhere });
      await lab.addElsewhere(lab.segment(1, { groupId, sliceId }));
      const times = { startsAt: 200_000, endsAt: 300_000 };
      const archived = await lab.addSlice({ ...times, contextId, archived: true });
      await cover({ sliceId: archived });
      await lab.add(lab.segment(2, { sliceId: archived, groupId: lab.otherGroupId }));
      expect(await selectWrongCoverage(connection, contextId)).toEqual([]);
      expect(await selectWrongCoverage(connection, elsewhere)).toHaveLength(1);
    });
  });
});

describe('coverage that a transaction widened', () => {
  it('is dated with its commit, and older coverage and buckets keep their dates', async () => {
    await lab.undone(async () => {
      const { connection, sliceId, nextSliceId } = lab;
      const old = 'to_timestamp(1000)';
      await cover({ probeId: 1 });
      await cover({ probeId: 2, newestAt: old });
      await cover({ probeId: 3, committedAt: old, newestAt: old });
      await cover({ probeId: 4, sliceId: nextSliceId });
      await dateCoverage(connection, { sliceIds: [sliceId], at: 5000 });
      const text = `select probe_id as probe,
          case committed_at when now() then 'begin' else extract(epoch from committed_at)::text end
            as committed,
          case newest_at when now() then 'begin' else extract(epoch from newest_at)::text end
            as newest
        from coverage order by 1`;
      expect(await lab.rowsOf(text)).toEqual([
        { probe: 1, committed: '5000.000000', newest: '5000.000000' },
        { probe: 2, committed: '5000.000000', newest: '1000.000000' },
        { probe: 3, committed: '1000.000000', newest: '1000.000000' },
        { probe: 4, committed: 'begin', newest: 'begin' },
      ]);
    });
  });
});

describe('coverage of buckets ahead of the clock', () => {
  const place = () => ({ sliceId: lab.sliceId, groupId: lab.groupId, probeId: 0 });
  const widen = (first: number, present: number | null, ...ahead: number[]) => {
    committed += 1000;
    return upsertCoverage(lab.connection, [
      {
        ...place(),
        firstBucket: first,
        lastBucket: Math.max(present ?? 0, ...ahead),
        presentBucket: present,
        aheadBuckets: ahead,
        committedAt: committed,
      },
    ]);
  };
  let committed = 0;
  const stored = async () => {
    const [row] = await lab.rowsOf<Record<string, number>>(
      `select last_bucket::float8 as last, present_bucket::float8 as present,
         ahead_buckets::float8[] as ahead, extract(epoch from newest_at)::int as "newestAt"
       from coverage`,
    );
    return row;
  };

  it('keeps those that are still ahead, one a topper bucket, and the newest of the others', async () => {
    await lab.undone(async () => {
      const hour = Math.floor(Date.now() / 3_600_000) * 3600;
      const later = hour + 4 * 3600;
      committed = 0;
      await widen(hour, null, later);
      expect(await stored()).toEqual({
        last: later,
        present: null,
        ahead: [later],
        newestAt: 1000,
      });
      await widen(hour, hour, later + 60);
      const ahead = [later + 60];
      expect(await stored()).toEqual({ last: later + 60, present: hour, ahead, newestAt: 2000 });
      // Neither an older bucket nor one that is ahead is a sign that new data arrive.
      await widen(hour - 600, hour - 600, later + 900);
      ahead.push(later + 900);
      expect(await stored()).toMatchObject({ present: hour, ahead, newestAt: 2000 });
      await lab.connection.query('update coverage set ahead_buckets = $1', [
        [hour - 7200, hour - 3600, later],
      ]);
      await widen(hour, hour + 60);
      const left = [hour - 3600, later];
      expect(await stored()).toMatchObject({ present: hour + 60, ahead: left, newestAt: 4000 });
    });
  });

  it('has a newest bucket at each time', async () => {
    await lab.undone(async () => {
      await lab.connection.query(
        `insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket,
           present_bucket, ahead_buckets) values ($1, $2, 0, 60, 1200, 300, '{600, 900, 1200}')`,
        [lab.sliceId, lab.groupId],
      );
      const newestBy = async (limit: number) => {
        const text = `select ${newestBucketBy(String(limit))}::int as bucket from coverage v`;
        return (await lab.rowsOf<{ bucket: number | null }>(text))[0]?.bucket;
      };
      const limits = [59, 60, 299, 300, 899, 900, 1199, 1200];
      const newest = [];
      for (const limit of limits) newest.push(await newestBy(limit));
      expect(newest).toEqual([null, 60, 60, 300, 600, 900, 900, 1200]);
      await lab.connection.query('update coverage set present_bucket = null, ahead_buckets = null');
      expect([await newestBy(1199), await newestBy(1200)]).toEqual([60, 1200]);
    });
  });
});
