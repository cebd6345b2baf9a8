import { KEY_COLUMNS, SAMPLE_COLUMNS } from '../db/write/sample-text.ts';
import { type GroupRow, selectGroups } from '../db/write/select-groups.ts';
import { selectProbeNames } from '../db/write/select-names.ts';
import type { Keeper, KeptSlice } from './keeper.ts';

/**
 * The form of an archive: a gzip file of text. Its first line is this header as JSON. After it come
 * the keys and then the samples, each a section of lines as PostgreSQL's COPY writes them in its text
 * format, ended by the line `\.`. So `zcat` shows what is in it, and `psql` could load it, should
 * nothing else be left.
 */
export type ArchiveHeader = {
  readonly countergraph: 'archive';
  /** Of this form. */
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
  /** What the numbers in the columns group_id, probe_id and readings (by slot) stand for. */
  readonly groups: readonly GroupRow[];
  readonly probes: readonly { readonly id: number; readonly name: string }[];
  readonly sections: readonly [ArchiveSection<'keys'>, ArchiveSection<'samples'>];
};

type ArchiveSection<Name extends string> = {
  readonly name: Name;
  readonly columns: readonly string[];
  /** Known beforehand of samples only. */
  readonly rows?: number;
};

export const FORM_VERSION = 1;

/** The line that ends a section. No row looks like it: COPY doubles a backslash in a value. */
export const SECTION_END = Buffer.from('\\.\n');

export async function describeArchive(
  { connection, contextId, context }: Keeper,
  slice: KeptSlice,
  rows: number,
): Promise<ArchiveHeader> {
  const probes = await selectProbeNames(connection, contextId);
  return {
    ...{ countergraph: 'archive', version: FORM_VERSION, context },
    slice: {
      ...{ id: slice.sliceId, name: slice.name, engine: slice.engine },
      ...{ from: slice.startsAt, to: slice.endsAt },
    },
    groups: await selectGroups(connection, contextId),
    probes: [...probes].map(([id, name]) => ({ id, name })),
    sections: [
      { name: 'keys', columns: KEY_COLUMNS },
      { name: 'samples', columns: SAMPLE_COLUMNS, rows },
    ],
  };
}

/** The header in a line; null: it is none. */
export function parseHeader(line: string): ArchiveHeader | null {
  try {
    const header = JSON.parse(line) as Partial<ArchiveHeader> | null;
    // The digest says that nobody has changed it; of another file it says so later.
    const isOne =
      header?.countergraph === 'archive' &&
      typeof header.slice?.name === 'string' &&
      [header.groups, header.probes, header.sections].every(Array.isArray);
    return isOne ? (header as ArchiveHeader) : null;
  } catch {
    return null;
  }
}

const NEWLINE = 0x0a;

/** How many lines end in a part of the text. */
export function countLines(part: Buffer): number {
  let lines = 0;
  for (let at = part.indexOf(NEWLINE); at >= 0; at = part.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
