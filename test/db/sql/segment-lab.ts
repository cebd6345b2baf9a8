import { insertSegments, type NewSegmentRow } from '../../../db/sql/publish.ts';
import { openWritableDatabase } from '../../support/database/writable-database.ts';
import { DAY, group, guidOf } from '../../support/lab/lab.ts';

export type SegmentLab = Awaited<ReturnType<typeof openSegmentLab>>;

/** A database with a context that has two slices, and another context with one. */
export async function openSegmentLab() {
  const database = await openWritableDatabase();
  await database.apply({ context: 'lab', groups: [group(1), group(2)] });
  await database.apply({ context: 'elsewhere', groups: [group(1)] });
  const contextId = await database.contextId('lab');
  const groupId = await database.groupId(contextId, guidOf(1));
  const otherGroupId = await database.groupId(contextId, guidOf(2));
  const elsewhere = await database.contextId('elsewhere');
  const groupIdElsewhere = await database.groupId(elsewhere, guidOf(1));
  const sliceId = await database.addSlice({ contextId, startsAt: 0, endsAt: DAY });
  const nextSliceId = await database.addSlice({ contextId, startsAt: DAY, endsAt: 2 * DAY });

  const segment = (segmentId: number, changes: Partial<NewSegmentRow> = {}): NewSegmentRow => ({
    segmentId,
    groupId,
    probeId: 0,
    sliceId,
    level: 0,
    firstBucket: 0,
    lastBucket: 600,
    keyCount: 2,
    rowCount: 3,
    pageCount: 1,
    sizeBytes: 1000,
    importedAt: 7200,
    directory: new Uint8Array([segmentId]),
    ...changes,
  });

  return {
    ...database,
    contextId,
    groupId,
    otherGroupId,
    elsewhere,
    groupIdElsewhere,
    sliceId,
    nextSliceId,
    segment,
    /** Adds segments that were born with the layout number 1. */
    add: (...rows: readonly NewSegmentRow[]) =>
      insertSegments(database.connection, { contextId, addedAt: 1 }, rows),
    addElsewhere: (...rows: readonly NewSegmentRow[]) =>
      insertSegments(database.connection, { contextId: elsewhere, addedAt: 1 }, rows),
    /** Marks segments as dead, without a query under test. */
    kill: (...segmentIds: readonly number[]) =>
      database.connection.query(
        'update segments set died = 2, died_at = now() where segment_id = any($1)',
        [segmentIds],
      ),
    /** The dead segments, with when they died. */
    deaths: () =>
      database.rowsOf<{ segmentId: number; died: number; at: number }>(
        `select segment_id::int as "segmentId", died::int, extract(epoch from died_at)::int as at
         from segments where died is not null order by segment_id`,
      ),
    /** The numbers of a context. */
    async numbers(of: number = contextId) {
      const [row] = await database.rowsOf<{ version: number; layout: number; sweptTo: number }>(
        `select version::int, layout::int, swept_to::int as "sweptTo" from context_versions
         where context_id = $1`,
        [of],
      );
      if (!row) throw new Error('the context has no numbers');
      return row;
    },
  };
}
