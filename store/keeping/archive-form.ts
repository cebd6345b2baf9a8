import type { GroupRow } from '../../db/write/declaration/select-groups.ts';
import type { NewSegmentRow } from '../../db/write/segments/insert-segments.ts';

/*
 * The form of an archive: what the segments of a slice are in the database, in a file.
 *
 *     header      a line of JSON: whose slice it is, what its groups, meters and probes are
 *     segment     frame S: a line of JSON, its row of the manifest, and after it the directory;
 *                 then a frame P for each of its pages, from page 0 on
 *     …
 *     end         frame E: the last line of JSON, which says once more how much there is
 *
 * A frame is a letter, the length of what follows (four bytes, the most significant first), and
 * that. Pages are as they are stored: packed, and with a digest of their own, which is told from
 * others by a number in the directory. So a segment can be put back under any id, byte by byte, and
 * nothing has to be made of it.
 *
 * Restoring takes only the file that was written, whose SHA-256 is in `slices`. The header is there
 * to say what another file is, and to show that ids still mean what they meant. Labels and other
 * texts of keys are not in it: they stay in the database.
 */

/** 1 is the form of release 0.7: samples as text, behind gzip. */
export const FORM_VERSION = 2;

/** What a group was when its segments were archived: numbers of slots and ids mean this. */
export type ArchivedGroup = Pick<
  GroupRow,
  'groupId' | 'guid' | 'name' | 'keyKind' | 'bucketSize' | 'topperBucketSize' | 'partGuids'
> & {
  readonly meters: readonly Pick<GroupRow['meters'][number], 'slot' | 'id' | 'type' | 'name'>[];
};

/** How much there is in an archive. */
export type ArchiveContent = {
  readonly segments: number;
  readonly pages: number;
  /** One a key and bucket in each segment. */
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
  /** Of those that are open, each once (domain/slices/page-generation.ts). */
  readonly generations: readonly number[];
  readonly content: ArchiveContent;
};

/** A segment's row of the manifest; its slice is that of the archive. */
export type ArchivedSegmentRow = Omit<NewSegmentRow, 'segmentId' | 'sliceId' | 'directory'>;

/** What can be said of a file of any form. */
export type ArchiveOutline = {
  readonly version: number;
  /** Null: nothing in reach says so. */
  readonly context: string | null;
  readonly slice: { readonly name: string } | null;
};

/** Of form 1, whose header is packed. */
export const FORMER_OUTLINE: ArchiveOutline = { version: 1, context: null, slice: null };

export const FRAMES = { segment: 0x53, page: 0x50, end: 0x45 } as const;

export type FrameKind = keyof typeof FRAMES;

/** A letter and a length. */
export const FRAME_HEAD_BYTES = 5;

/** What stands before the bytes of a frame. */
export function frameHead(kind: FrameKind, length: number): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head[0] = FRAMES[kind];
  head.writeUInt32BE(length, 1);
  return head;
}

export const jsonLine = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

const GZIP = Buffer.from([0x1f, 0x8b]);

/** Whether a file that begins so is behind gzip, as only form 1 is. */
export const isGzip = (start: Buffer): boolean => start.subarray(0, GZIP.length).equals(GZIP);

/** The header of a line of this form, or what a newer form has in common with it. */
export function parseHeader(line: Buffer): ArchiveHeader | null {
  try {
    const header = JSON.parse(line.toString('utf8')) as Partial<ArchiveHeader> | null;
    // The digest says that nobody has changed it; of another file it says so later.
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
