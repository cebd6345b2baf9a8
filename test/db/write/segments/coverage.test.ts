import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dateCoverage } from '../../../../db/write/segments/date-coverage.ts';
import { repairCoverage } from '../../../../db/write/segments/repair-coverage.ts';
import { selectWrongCoverage } from '../../../../db/write/segments/select-wrong-coverage.ts';
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
    `insert into coverage values ($1, $2, $3, $4, $5, ${committedAt}, ${newestAt})`,
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
