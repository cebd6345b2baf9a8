import {
  type HeadImportRow,
  type ImportRow,
  selectImport,
  selectImportsByHead,
} from '../../db/sql/imports.ts';
import type { ImportFormat } from '../../domain/import-formats.ts';
import type { PortRule } from '../flows/flow.ts';
import { createWayFinder } from '../formats/nfdump/nfdump-ways.ts';
import type { ImportSession } from '../session/import-session.ts';
import { AlreadyImported } from './already-imported.ts';
import { type ContentPrint, ContentPrinter } from './content-print.ts';
import { GrownLines } from './grown-lines.ts';
import type { ImportSource } from './import-source.ts';
import { readContent } from './read-content.ts';

/** Returns whether only all of a source shows how its flows count. */
export const asksForWays = (format: ImportFormat, portRule: PortRule = 'registered'): boolean =>
  format === 'nfdump' && portRule === 'registered';

/** What is known about a source before any of it is imported. */
export type LookAhead = {
  /** What the import has to read; null: nobody knows. */
  readonly expected: ContentPrint | null;
  /** Whether nfdump paired directions; null if that does not matter. */
  readonly isTwoWay: boolean | null;
  /** Which lines to take; null: all. */
  readonly grown: GrownLines | null;
};

/** Of a source that can be read only once. */
export const NOT_LOOKED: LookAhead = { expected: null, isTwoWay: null, grown: null };

type LookAheadOptions = {
  readonly source: ImportSource;
  readonly context: string;
  readonly format: ImportFormat;
  readonly servicePort?: PortRule;
  readonly again?: boolean;
  readonly grown?: boolean;
  readonly signal?: AbortSignal;
};

/**
 * Reads a source before it is imported: what was imported already is then refused before any work,
 * and only a whole nfdump file shows whether it was made with -B. Throws an `AlreadyImported` if
 * nothing of the source is to be taken.
 */
export async function lookAhead(
  session: ImportSession,
  options: LookAheadOptions,
): Promise<LookAhead> {
  const { source, context, format, servicePort, signal } = options;
  const printer = printerOf(session);
  const ways = asksForWays(format, servicePort) ? createWayFinder() : null;
  for await (const block of readContent(source)) {
    signal?.throwIfAborted();
    await printer.push(block);
    ways?.push(block);
  }
  const isTwoWay = ways?.end() ?? null;
  const print = printer.print();
  if (!options.grown) {
    if (!options.again) await refuseKnown(session, options, printer);
    return { expected: print, isTwoWay, grown: null };
  }
  const { known, length } = await findKnown(session, printer);
  // A file may grow while it is read: what it gets now is left for the next time.
  if (known === null) return { expected: print, isTwoWay, grown: partOf(0, print) };
  const lines = printer.printOfLines();
  if (lines === null || lines.length <= length) {
    throw new AlreadyImported(source.name, 'nothing-new', { context, ...known });
  }
  return { expected: lines, isTwoWay, grown: partOf(length, lines) };
}

const partOf = (from: number, { length: to }: ContentPrint) => new GrownLines({ from, to });

export const printerOf = ({ connection, contextId }: ImportSession) =>
  new ContentPrinter<HeadImportRow>((head) => selectImportsByHead(connection, contextId, head));

/**
 * Throws if content that was read, or its beginning, was imported before, so that nothing is
 * counted twice unless requested.
 */
export async function refuseKnown(
  session: ImportSession,
  { context, source }: Pick<LookAheadOptions, 'context' | 'source'>,
  printer: ContentPrinter<HeadImportRow>,
): Promise<void> {
  const { known, length } = await findKnown(session, printer);
  if (known === null) return;
  const kind = length === printer.print().length ? 'same' : 'grown';
  throw new AlreadyImported(source.name, kind, { context, ...known });
}

/** What is known of a content, and how many of its bytes. */
type KnownPart = { readonly known: ImportRow | null; readonly length: number };

async function findKnown(
  { connection, contextId }: ImportSession,
  printer: ContentPrinter<HeadImportRow>,
): Promise<KnownPart> {
  const { digest, length } = printer.print();
  // Imports of before heads were recorded are found only by all of their content.
  const same = await selectImport(connection, contextId, digest);
  if (same) return { known: same, length };
  const beginning = printer.known();
  return { known: beginning, length: beginning?.length ?? 0 };
}
