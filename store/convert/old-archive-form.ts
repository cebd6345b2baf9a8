import type { GroupRow } from '../../db/write/declaration/select-groups.ts';

/**
 * The form of an archive of versions 0.6 and 0.7: a gzip file of text. Its first line is this
 * header as JSON. After it come the keys and then the samples, each a section of lines as
 * PostgreSQL's COPY writes them in its text format, ended by the line `\.`.
 */
export type OldArchiveHeader = {
  readonly countergraph: 'archive';
  readonly version: typeof OLD_FORM_VERSION;
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
  readonly sections: readonly [OldArchiveSection<'keys'>, OldArchiveSection<'samples'>];
};

type OldArchiveSection<Name extends string> = {
  readonly name: Name;
  readonly columns: readonly string[];
  /** Known in advance for samples only. */
  readonly rows?: number;
};

export const OLD_FORM_VERSION = 1;

/** The line that ends a section. No row looks like it: COPY doubles a backslash in a value. */
export const SECTION_END = Buffer.from('\\.\n');

/** Parses a header line; null if it is not a header. */
export function parseOldHeader(line: string): OldArchiveHeader | null {
  try {
    const header = JSON.parse(line) as Partial<OldArchiveHeader> | null;
    // A shallow check is enough: the digest proves our own file intact, and rejects any other.
    const isOne =
      header?.countergraph === 'archive' &&
      typeof header.slice?.name === 'string' &&
      [header.groups, header.probes, header.sections].every(Array.isArray);
    return isOne ? (header as OldArchiveHeader) : null;
  } catch {
    return null;
  }
}
