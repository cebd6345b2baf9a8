import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  selectDirectory,
  selectOpenSegments,
  selectSegmentSlices,
  selectSegmentTotals,
  selectSliceSegments,
  selectSliceTotals,
} from '../../../db/sql/manifest.ts';
import { insertSegments, type NewSegmentRow } from '../../../db/sql/publish.ts';
import { NO_SLICE, SEALED_LEVEL, SETTLED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { DAY } from '../../support/lab/lab.ts';
import { openSegmentLab, type SegmentLab } from './segment-lab.ts';

let lab: SegmentLab;

beforeAll(async () => {
  lab = await openSegmentLab();
});

afterAll(() => lab.close());

/** A roll-up, which has no slice. */
const rollUp = (segmentId: number, sources: readonly number[]): NewSegmentRow => ({
  ...lab.segment(segmentId, { sliceId: NO_SLICE, level: SEALED_LEVEL }),
  sources,
});

describe('inserted segments', () => {
  it('are those of their slice, by id, until they die', async () => {
    await lab.undone(async () => {
      const second = lab.segment(12, {
        groupId: lab.otherGroupId,
        probeId: 4,
        level: SETTLED_LEVEL,
        keyCount: 5_000_000_000,
        rowCount: 6_000_000_000,
        sizeBytes: 7_000_000_000,
        pageCount: 8,
      });
      const inNextSlice = lab.segment(13, { sliceId: lab.nextSliceId });
      await lab.add(second, lab.segment(11), inNextSlice, lab.segment(14));
      await lab.kill(14);
      const { directory: _first, ...firstRow } = lab.segment(11);
      const { directory: _second, ...secondRow } = second;
      expect(await selectSliceSegments(lab.connection, lab.sliceId)).toEqual([firstRow, secondRow]);
    });
  });

  it('keep their context, the number of their birth and their sources', async () => {
    await lab.undone(async () => {
      const { connection, contextId } = lab;
      const rows = [lab.segment(1), rollUp(2, [7, 9])];
      await insertSegments(connection, { contextId, addedAt: 5 }, rows);
      const text = `select segment_id::int as id, context_id as "contextId", born::int,
        sources::int[] from segments order by 1`;
      expect(await lab.rowsOf(text)).toEqual([
        { id: 1, contextId, born: 5, sources: null },
        { id: 2, contextId, born: 5, sources: [7, 9] },
      ]);
    });
  });

  it('have a directory that is read by itself, even once they are dead', async () => {
    await lab.undone(async () => {
      await lab.add(lab.segment(1, { directory: new Uint8Array([0, 255, 7]) }));
      await lab.kill(1);
      expect([...(await selectDirectory(lab.connection, 1))]).toEqual([0, 255, 7]);
      await expect(selectDirectory(lab.connection, 2)).rejects.toThrow(
        'segment 2 must be in the manifest',
      );
    });
  });
});

describe('open segments of a context', () => {
  it('are the live ones below the sealed level, with the end of their slice', async () => {
    await lab.undone(async () => {
      const gone = 999;
      const settled = lab.segment(2, { level: SETTLED_LEVEL, sliceId: lab.nextSliceId });
      await lab.add(settled, lab.segment(1), lab.segment(3, { sliceId: gone }));
      await lab.add(lab.segment(4, { level: SEALED_LEVEL }), lab.segment(5), rollUp(6, [1, 2]));
      await lab.addElsewhere(lab.segment(7, { groupId: lab.groupIdElsewhere }));
      await lab.kill(5);
      const open = {
        groupId: lab.groupId,
        probeId: 0,
        sliceId: lab.sliceId,
        level: 0,
        firstBucket: 0,
        lastBucket: 600,
        sizeBytes: 1000,
        importedAt: 7200,
      };
      expect(await selectOpenSegments(lab.connection, lab.contextId)).toEqual([
        { ...open, segmentId: 1, endsAt: DAY },
        {
          ...open,
          segmentId: 2,
          level: SETTLED_LEVEL,
          sliceId: lab.nextSliceId,
          endsAt: 2 * DAY,
        },
        { ...open, segmentId: 3, sliceId: gone, endsAt: null },
      ]);
    });
  });
});

describe('totals of segments', () => {
  it('add up the live readings of a context, and of each slice that has any', async () => {
    await lab.undone(async () => {
      const { connection, contextId, sliceId, nextSliceId } = lab;
      await lab.add(
        lab.segment(1, { rowCount: 4_000_000_000, sizeBytes: 5_000_000_000 }),
        lab.segment(2, { rowCount: 1_000_000_000, level: SEALED_LEVEL }),
        lab.segment(3, { sliceId: nextSliceId }),
        lab.segment(4, { sliceId: nextSliceId }),
        rollUp(5, [2, 3]),
      );
      await lab.addElsewhere(lab.segment(6, { groupId: lab.groupIdElsewhere, sliceId: 999 }));
      await lab.kill(4);
      expect(await selectSegmentTotals(connection, contextId)).toEqual({
        segments: 3,
        rows: 5_000_000_003,
        bytes: 5_000_002_000,
      });
      const slices = await selectSliceTotals(connection, contextId);
      expect(slices).toEqual(
        new Map([
          [sliceId, { segments: 2, rows: 5_000_000_000, bytes: 5_000_001_000 }],
          [nextSliceId, { segments: 1, rows: 3, bytes: 1000 }],
        ]),
      );
    });
  });

  it('are zero for a context without segments, which has no slices with any', async () => {
    const { connection, contextId } = lab;
    expect(await selectSegmentTotals(connection, contextId)).toEqual({
      segments: 0,
      rows: 0,
      bytes: 0,
    });
    expect(await selectSliceTotals(connection, contextId)).toEqual(new Map());
  });
});

describe('slices of a context', () => {
  it('come oldest first and then by engine, and say whether an archive has their readings', async () => {
    await lab.undone(async () => {
      const { contextId, connection } = lab;
      const later = { contextId, startsAt: 3 * DAY, endsAt: 4 * DAY };
      const second = await lab.addSlice({ ...later, engine: 1 });
      const byHand = await lab.addSlice({ ...later, archived: true });
      await lab.rowsOf(`insert into pools (context_id, name) values ($1, 'oper')`, [contextId]);
      await lab.rowsOf(
        `update slices set archived = true, archive_pool = 'oper', archive_path = 'a',
           archive_digest = sha256(''), archive_bytes = 1, archive_rows = 1, archived_at = now()
         where slice_id = $1`,
        [lab.nextSliceId],
      );
      await lab.addSlice({ contextId: lab.elsewhere, startsAt: 0, endsAt: DAY });
      const slice = { engine: 0, archived: false, hasArchive: false };
      const found = await selectSegmentSlices(connection, contextId);
      expect([...found.values()]).toEqual([
        { ...slice, sliceId: lab.sliceId, startsAt: 0, endsAt: DAY },
        {
          sliceId: lab.nextSliceId,
          engine: 0,
          startsAt: DAY,
          endsAt: 2 * DAY,
          archived: true,
          hasArchive: true,
        },
        { ...slice, sliceId: byHand, startsAt: 3 * DAY, endsAt: 4 * DAY, archived: true },
        { ...slice, sliceId: second, startsAt: 3 * DAY, endsAt: 4 * DAY, engine: 1 },
      ]);
      expect([...found.keys()]).toEqual([lab.sliceId, lab.nextSliceId, byHand, second]);
    });
  });
});
