import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import { type PagePartition, pagePartitionName, pagePartitionOf } from '../../db/page-tables.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import {
  dropPartitions,
  type Format1Row,
  type Format1Slice,
  renamePartitions,
  replaceFormat1Segments,
  selectFormat1Pages,
  selectFormat1Segments,
} from '../../db/sql/conversion.ts';
import { ensurePagePartitionWithin } from '../../db/sql/page-partitions.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import { loadShapes } from '../shapes/load-shapes.ts';
import type { WrittenSegment } from '../write/write-segment.ts';
import { convertSegment, pageFrom } from './convert-segment.ts';

export type ConvertedSlice = {
  /** Rows of readings: one per key and bucket of each segment. */
  readonly samples: number;
  readonly segments: number;
};

type SliceOptions = {
  /** Epoch seconds. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
  /** Called as rows are read: how many so far, and which part of the slice's bytes, up to 1. */
  readonly onRows?: ((rows: number, part: number) => void) | undefined;
};

/**
 * Converts the segments of a slice and drops its old partitions, in one transaction. The readings
 * stay the same, so no answer becomes stale. Errors: DamagedSegment; the old partitions cannot be
 * dropped.
 */
export const convertSlice = (
  connection: Connection,
  slice: Format1Slice,
  { now, signal, onRows }: SliceOptions,
): Promise<ConvertedSlice> =>
  inTransaction(connection, async () => {
    const { contextId, sliceId } = slice;
    const rows = await selectFormat1Segments(connection, slice);
    const old = await renamePartitions(connection, sliceId);
    await createPartitions(connection, rows);
    const progress = new SliceProgress(slice.sizeBytes, onRows);
    const added: WrittenSegment[] = [];
    const shapes = await loadShapes(connection, contextId);
    for (const row of rows) {
      signal?.throwIfAborted();
      const shape = shapes.get(row.groupId);
      if (!shape) throw new Error(`the group ${row.groupId} of a segment is gone`);
      added.push(
        await convertSegment(connection, row, {
          shape,
          fetch: async (numbers) =>
            pageFrom(await selectFormat1Pages(copiesOf(connection), row, numbers)),
          onRows: (count) => progress.add(row, count),
        }).catch((error: unknown) => {
          throw error instanceof DamagedSegment ? damageOf(row, error) : error;
        }),
      );
    }
    await publishSegments(connection, {
      contextId,
      changes: 'layout',
      added,
      removed: [],
      at: now,
    });
    await replaceFormat1Segments(connection, contextId, rows);
    await dropPartitions(connection, old);
    return { samples: progress.rows, segments: added.length };
  });

const damageOf = ({ segmentId }: Format1Row, error: DamagedSegment): Error =>
  new Error(`Segment ${segmentId} is damaged, and cannot be converted: ${error.message}`, {
    cause: error,
  });

async function createPartitions(
  connection: Connection,
  rows: readonly Format1Row[],
): Promise<void> {
  const partitions = new Map<string, PagePartition>();
  for (const row of rows) {
    const partition = pagePartitionOf(row);
    partitions.set(pagePartitionName(partition), partition);
  }
  for (const partition of partitions.values()) {
    await ensurePagePartitionWithin(connection, partition);
  }
}

class SliceProgress {
  readonly #ofBytes: number;
  readonly #onRows: SliceOptions['onRows'];
  #bytes = 0;
  rows = 0;

  constructor(ofBytes: number, onRows: SliceOptions['onRows']) {
    this.#ofBytes = ofBytes;
    this.#onRows = onRows;
  }

  add({ sizeBytes, rowCount }: Format1Row, rows: number): void {
    this.rows += rows;
    this.#bytes += (sizeBytes * rows) / rowCount;
    this.#onRows?.(this.rows, Math.min(1, this.#bytes / this.#ofBytes));
  }
}
