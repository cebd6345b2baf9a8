import { randomInt } from 'node:crypto';
import type { Connection } from '../../db/connection/connection.ts';
import { copyPages, PAGES_OF_COPY } from '../../db/sql/pages.ts';
import { type NewSegmentRow, reserveSegment } from '../../db/sql/publish.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { RangeStream } from '../../segments/merge/merge-ranges.ts';
import type { StoredPage } from '../../segments/pages/page-cutter.ts';
import { SegmentWriter } from '../../segments/pages/segment-writer.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { BucketSpan } from '../../segments/span.ts';
import { MissingPartition } from './missing-partition.ts';

/** What a segment belongs to. */
type SegmentScope = {
  readonly groupId: number;
  /** 0: no probe. */
  readonly probeId: number;
  readonly sliceId: number;
  /** domain/slices/segment-level.ts. */
  readonly level: number;
  /** When the last of its readings was imported, in whole epoch seconds. */
  readonly importedAt: number;
};

type SegmentContent = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  /** Span of all ranges. */
  readonly span: BucketSpan;
  /** At least one, in ascending order. They may be read on the same connection. */
  readonly ranges: RangeStream;
  readonly isRollUp?: boolean;
};

/** A segment whose pages are stored; it is unknown to others until it is published. */
export type WrittenSegment = NewSegmentRow;

/** A nonce has 32 bits. */
const NONCES = 2 ** 32;

/**
 * Writes the pages of a segment in the caller's transaction, as the ranges arrive. Memory holds one
 * range, its pages and fewer earlier ones than a COPY has. There must be a partition for the
 * pages (db/sql/page-partitions.ts). Errors: MissingPartition.
 */
export async function writeSegment(
  connection: Connection,
  scope: SegmentScope,
  { ranges, ...content }: SegmentContent,
): Promise<WrittenSegment> {
  const { segmentId, isReady } = await reserveSegment(connection, scope);
  if (!isReady) throw new MissingPartition(scope);
  const writer = new SegmentWriter({ ...content, nonce: randomInt(NONCES) });
  const stored = new PageStore((pages) => copyPages(connection, { ...scope, segmentId }, pages));
  for await (const range of ranges) {
    stored.add(writer.addRange(range));
    await stored.storeIfMany();
  }
  const { directory, pages, keyCount, rowCount } = writer.finish();
  stored.add(pages);
  await stored.storeAll();
  return {
    ...scope,
    segmentId,
    firstBucket: content.span.first,
    lastBucket: content.span.last,
    keyCount,
    rowCount,
    pageCount: stored.pageCount,
    sizeBytes: stored.sizeBytes + directory.length,
    directory,
  };
}

/**
 * Buffers pages until they fill a COPY. Each COPY finishes before the next range is requested,
 * as a connection cannot read anything else during a COPY.
 */
class PageStore {
  pageCount = 0;
  sizeBytes = 0;
  readonly #store: (pages: readonly StoredPage[]) => Promise<void>;
  readonly #waiting: StoredPage[] = [];

  constructor(store: (pages: readonly StoredPage[]) => Promise<void>) {
    this.#store = store;
  }

  add(pages: readonly StoredPage[]): void {
    for (const page of pages) {
      this.#waiting.push(page);
      this.pageCount += 1;
      this.sizeBytes += page.bytes.length;
    }
  }

  /** Stores as many pages as fill COPYs, and keeps the rest. */
  async storeIfMany(): Promise<void> {
    const rest = this.#waiting.length % PAGES_OF_COPY;
    await this.#store(this.#waiting.splice(0, this.#waiting.length - rest));
  }

  async storeAll(): Promise<void> {
    await this.#store(this.#waiting.splice(0));
  }
}
