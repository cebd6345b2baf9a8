import type { GroupRow } from '../../db/sql/declaration.ts';
import type { NewSegmentRow } from '../../db/sql/publish.ts';

/*
 * The file format of an archive: the segments of a slice, as they are in the database.
 *
 *     header      a line of JSON: which slice this is, and its groups, meters and probes
 *     segment     frame S: a line of JSON, its row of the manifest, followed by the directory;
 *                 then a frame P for each of its pages, from page 0 on
 *     …
 *     end         frame E: the last line of JSON, which repeats how much content there is
 *
 * A frame is a letter, the length of the body (four bytes, most significant first), and the body.
 * Pages are as stored: compressed, each with a digest that includes a number from the segment's
 * directory. So a segment can be put back under any id, byte for byte, without rebuilding anything.
 *
 * Restore accepts only the file that was written, whose SHA-256 is in `slices`. The header
 * identifies other files, and proves that ids still have the same meaning. Labels and other texts
 * of keys are not in the archive: they stay in the database.
 */

/** Form 1 was that of versions up to 0.7: samples as text, compressed with gzip. */
export const FORM_VERSION = 2;

/** A group as it was when its segments were archived: slot numbers and ids refer to this. */
export type ArchivedGroup = Pick<
  GroupRow,
  'groupId' | 'guid' | 'name' | 'keyKind' | 'bucketSize' | 'topperBucketSize' | 'partGuids'
> & {
  readonly meters: readonly Pick<GroupRow['meters'][number], 'slot' | 'id' | 'type' | 'name'>[];
};

/** How much an archive contains. */
type ArchiveContent = {
  readonly segments: number;
  readonly pages: number;
  /** One per key and bucket in each segment. */
  readonly rows: number;
  /** Of pages and directories. */
  readonly bytes: number;
};

export type ArchiveHeader = {
  readonly countergraph: 'archive';
  readonly version: typeof FORM_VERSION;
  readonly context: string;
  readonly slice: {
    readonly id: number;
    readonly name: string;
    readonly engine: number;
    /** Epoch seconds, half open. */
    readonly from: number;
    readonly to: number;
  };
  readonly groups: readonly ArchivedGroup[];
  readonly probes: readonly { readonly id: number; readonly name: string }[];
  /** Levels of the segments, each once (domain/slices/segment-level.ts). */
  readonly levels: readonly number[];
  /** Generations of the open segments, each once (domain/slices/page-generation.ts). */
  readonly generations: readonly number[];
  readonly content: ArchiveContent;
};

/** A segment's row of the manifest, without the slice, which is that of the archive. */
export type ArchivedSegmentRow = Omit<NewSegmentRow, 'segmentId' | 'sliceId' | 'directory'>;

/** What is known about a file of any form without reading all of it. */
export type ArchiveOutline = {
  readonly version: number;
  /** Null if it cannot be read without unpacking the file. */
  readonly context: string | null;
  readonly slice: { readonly name: string } | null;
};

/** The outline of every file of form 1, whose header is compressed: this version refuses it. */
export const FORMER_OUTLINE: ArchiveOutline = { version: 1, context: null, slice: null };

export const FRAMES = { segment: 0x53, page: 0x50, end: 0x45 } as const;

export type FrameKind = keyof typeof FRAMES;

/** A letter and a length. */
export const FRAME_HEAD_BYTES = 5;

/** Returns the head of a frame: its letter and the length of its body. */
export function frameHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head[0] = FRAMES[kind];
  head.writeUInt32BE(length, 1);
  return head;
}

export const jsonLine = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Returns whether a file that starts with these bytes is gzip, as only form 1 is. */
export const beginsAsGzip = (start: Buffer): boolean => start.subarray(0, GZIP.length).equals(GZIP);

/**
 * Parses a header line of this form, or the fields that a newer form shares with it; null if it is
 * neither.
 */
export function parseHeader(line: Buffer): ArchiveHeader | null {
  try {
    const header = JSON.parse(line.toString('utf8')) as Partial<ArchiveHeader> | null;
    // A shallow check is enough: the digest proves our own file intact, and rejects any other.
    const isOne =
      header?.countergraph === 'archive' &&
      typeof header.version === 'number' &&
      typeof header.context === 'string' &&
      typeof header.slice?.name === 'string';
    return isOne ? (header as ArchiveHeader) : null;
  } catch {
    return null;
  }
}
