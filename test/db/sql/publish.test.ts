import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { pagePartitionName, pagePartitionOf } from '../../../db/page-tables.ts';
import { selectNotLive } from '../../../db/sql/manifest.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import {
  commitLate,
  deleteRemovedSegments,
  markRemoved,
  markRollUpsRemoved,
  raiseLayout,
  raiseSweptTo,
  raiseVersion,
  reserveSegment,
  tryLockMerges,
} from '../../../db/sql/publish.ts';
import { removeIdlePartitions } from '../../../db/sql/remove-partitions.ts';
import { NO_SLICE, SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { asOtherRole } from '../../support/database/as-other-role.ts';
import { openSegmentLab, type SegmentLab } from './segment-lab.ts';

let lab: SegmentLab;

beforeAll(async () => {
  lab = await openSegmentLab();
});

afterAll(() => lab.close());

afterEach(() => lab.connection.query('delete from segments'));

const rollUp = (segmentId: number, sources: readonly number[]) =>
  lab.segment(segmentId, { sliceId: NO_SLICE, level: SEALED_LEVEL, sources });

const removal = (removedAt: number, at: number) => ({
  contextId: lab.contextId,
  removedAt,
  at,
});

describe('segments that die', () => {
  it('are marked once, only in their context, and those that were alive are returned', async () => {
    await lab.undone(async () => {
      await lab.add(lab.segment(1), lab.segment(2), lab.segment(3));
      await lab.addElsewhere(lab.segment(4, { groupId: lab.groupIdElsewhere }));
      expect(await markRemoved(lab.connection, removal(5, 1000), [1])).toEqual([1]);
      const removed = await markRemoved(lab.connection, removal(6, 2000), [1, 2, 4, 99]);
      expect(removed).toEqual([2]);
      expect(await lab.deaths()).toEqual([
        { segmentId: 1, died: 5, at: 1000 },
        { segmentId: 2, died: 6, at: 2000 },
      ]);
    });
  });

  it('take the roll-ups made of them with them, and the roll-ups made of those', async () => {
    await lab.undone(async () => {
      await lab.add(
        lab.segment(1, { level: SEALED_LEVEL }),
        rollUp(11, [1, 2]),
        rollUp(12, [3, 4]),
        rollUp(21, [11, 12]),
        rollUp(22, [12, 13]),
      );
      await markRollUpsRemoved(lab.connection, removal(5, 1000), [1]);
      expect(await lab.deaths()).toEqual([
        { segmentId: 11, died: 5, at: 1000 },
        { segmentId: 21, died: 5, at: 1000 },
      ]);
    });
  });
});

describe('segments that are not live', () => {
  it('are those that are dead, of another context, or not there', async () => {
    await lab.undone(async () => {
      await lab.add(lab.segment(1), lab.segment(2), lab.segment(3));
      await lab.addElsewhere(lab.segment(4, { groupId: lab.groupIdElsewhere }));
      await lab.kill(2);
      const notLive = await selectNotLive(lab.connection, lab.contextId, [99, 4, 3, 2, 1]);
      expect(notLive).toEqual([2, 4, 99]);
    });
  });
});

describe('dead segments', () => {
  const sweep = (diedBy: number, limit = 100) =>
    deleteRemovedSegments(lab.connection, { contextId: lab.contextId, removedBy: diedBy, limit });

  const stored = async () =>
    (await lab.rowsOf<{ id: number }>('select segment_id::int as id from segments order by 1')).map(
      ({ id }) => id,
    );

  it('are removed once it is long enough ago, those removed first before others', async () => {
    await lab.add(lab.segment(1), lab.segment(2, { level: 3 }), lab.segment(3), lab.segment(4));
    await lab.addElsewhere(lab.segment(5, { groupId: lab.groupIdElsewhere }));
    await markRemoved(lab.connection, removal(7, 2000), [1]);
    await markRemoved(lab.connection, removal(6, 2000), [2]);
    await markRemoved(lab.connection, removal(8, 2001), [3]);
    await markRemoved(lab.connection, { ...removal(5, 1000), contextId: lab.elsewhere }, [5]);
    expect(await sweep(1999)).toEqual([]);
    const { sliceId } = lab;
    expect(await sweep(2000, 1)).toEqual([{ segmentId: 2, sliceId, level: 3, removedAt: 6 }]);
    expect(await sweep(2000)).toEqual([{ segmentId: 1, sliceId, level: 0, removedAt: 7 }]);
    expect(await stored()).toEqual([3, 4, 5]);
  });

  it('stay while a snapshot sees them alive', async () => {
    await lab.add(lab.segment(1));
    await lab.other.query('begin isolation level repeatable read');
    const { rows } = await lab.other.query('select from segments where died is null');
    expect(rows).toHaveLength(1);
    await markRemoved(lab.connection, removal(5, 1000), [1]);
    expect(await sweep(1000)).toEqual([]);
    expect(await stored()).toEqual([1]);
    await lab.other.query('commit');
    expect(await sweep(1000)).toHaveLength(1);
    expect(await stored()).toEqual([]);
  });

  it('stay while a snapshot of another role sees them alive', async () => {
    await lab.add(lab.segment(1));
    await lab.other.query('begin isolation level repeatable read');
    await lab.other.query('select from segments');
    await markRemoved(lab.connection, removal(5, 1000), [1]);
    await asOtherRole(lab.connection, 'select, delete on segments', async () => {
      expect(await sweep(1000)).toEqual([]);
      await lab.other.query('commit');
      expect(await sweep(1000)).toHaveLength(1);
    });
  });
});

describe('the numbers of a context', () => {
  it('are raised once per transaction for its version, and each time for its layout', async () => {
    await lab.undone(async () => {
      const { connection, contextId } = lab;
      const { version, layout } = await lab.numbers();
      await raiseVersion(connection, contextId);
      await raiseVersion(connection, contextId);
      const first = await raiseLayout(connection, contextId);
      expect(first).toEqual({ version: version + 1, layout: layout + 1 });
      const second = await raiseLayout(connection, contextId);
      expect(second).toEqual({ version: version + 1, layout: layout + 2 });
    });
  });

  it('of another context stay, and a context that is gone has none', async () => {
    await lab.undone(async () => {
      const before = await lab.numbers(lab.elsewhere);
      await raiseVersion(lab.connection, lab.contextId);
      await raiseLayout(lab.connection, lab.contextId);
      await raiseSweptTo(lab.connection, lab.contextId, 7);
      expect(await lab.numbers(lab.elsewhere)).toEqual(before);
      expect(await raiseLayout(lab.connection, 999)).toBeNull();
    });
  });

  it('say up to which layout segments may be gone, which never becomes less', async () => {
    await lab.undone(async () => {
      await raiseSweptTo(lab.connection, lab.contextId, 7);
      await raiseSweptTo(lab.connection, lab.contextId, 6);
      expect((await lab.numbers()).sweptTo).toBe(7);
      await raiseSweptTo(lab.connection, lab.contextId, 8);
      expect((await lab.numbers()).sweptTo).toBe(8);
    });
  });
});

describe('the lock for merging', () => {
  it('is held for one context, until the end of the transaction', async () => {
    const { connection, other, contextId, elsewhere } = lab;
    await lab.undone(async () => {
      expect(await tryLockMerges(connection, contextId)).toBe(true);
      expect(await tryLockMerges(other, contextId)).toBe(false);
      expect(await tryLockMerges(other, elsewhere)).toBe(true);
    });
    expect(await tryLockMerges(other, contextId)).toBe(true);
  });
});

describe('a reserved segment', () => {
  it('has an id that no other has, even if its transaction fails', async () => {
    const place = { sliceId: 71, level: 0, importedAt: 7200 };
    const reserve = () => lab.undone(() => reserveSegment(lab.connection, place));
    const first = await reserve();
    expect(first.isReady).toBe(false);
    expect((await reserve()).segmentId).toBeGreaterThan(first.segmentId);
  });

  it('keeps the partition for its pages until the end of the transaction', async () => {
    const place = { sliceId: 72, level: SEALED_LEVEL, importedAt: 7200 };
    const partition = pagePartitionOf(place);
    // Looked up in the table, because to_regclass may remember a name during a transaction.
    const isThere = async () => {
      const name = pagePartitionName(partition);
      return (await lab.rowsOf('select from pg_class where relname = $1', [name])).length > 0;
    };
    await ensurePagePartition(lab.connection, partition);
    await inTransaction(lab.connection, async () => {
      expect((await reserveSegment(lab.connection, place)).isReady).toBe(true);
      await removeIdlePartitions(lab.other);
      expect(await isThere()).toBe(true);
    });
    await removeIdlePartitions(lab.other);
    expect(await isThere()).toBe(false);
  });
});

describe('a transaction that may commit late', () => {
  it('does so alone', async () => {
    const mode = async () =>
      (await lab.rowsOf<{ synchronous_commit: string }>('show synchronous_commit'))[0]
        ?.synchronous_commit;
    const usual = await mode();
    await inTransaction(lab.connection, async () => {
      await commitLate(lab.connection);
      expect(await mode()).toBe('off');
    });
    expect(await mode()).toBe(usual);
  });
});
