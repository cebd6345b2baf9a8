import { allDigits } from '../../format/big-number.ts';
import { counted } from '../../format/counted.ts';

/** What the server says of an imported file: the answer of `POST /upload`. */
export type UploadReport = {
  readonly source: string;
  readonly context: string;
  readonly format: string;
  readonly lines: number;
  /** Lines before these that were imported before; left out: none is looked for. */
  readonly knownLines?: number;
  readonly records: number;
  /** The time of its readings, in epoch seconds; null: it has none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly skipped: Readonly<Record<string, number>>;
  readonly badLines: {
    readonly count: number;
    readonly named: readonly { readonly line: number; readonly reason: string }[];
  };
  readonly notes: readonly string[];
};

/** Why records are skipped, in words: one of them, and what follows. */
const SKIPPED: Readonly<Record<string, readonly [string, string]>> = {
  events: ['event', 'of a firewall or NAT gateway'],
  tunnelLines: ['line', 'of a tunnel'],
  notIp: ['frame', 'of other protocols than IP'],
};

function skippedWords(reason: string, count: number): string {
  const [one, more] = SKIPPED[reason] ?? ['line', `(${reason})`];
  return `Skipped: ${counted(count, one)} ${more}.`;
}

/** Says what was imported, and what was not. */
export function reportWords(report: UploadReport): string[] {
  const { records, lines, knownLines, format, skipped, badLines } = report;
  const what = format === 'samples' ? 'sample' : 'flow';
  const line = knownLines ? 'new line' : 'line';
  const left = Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => skippedWords(reason, count));
  const { count, named } = badLines;
  const shown = count > named.length ? `, of which ${allDigits(named.length)} are below` : '';
  return [
    `${counted(records, what)} from ${counted(lines, line)}.`,
    ...left,
    ...(count > 0 ? [`${counted(count, 'line')} could not be read${shown}.`] : []),
  ];
}

/** A file that is in the context already. */
export type KnownFile = {
  /** What is known of it, in the server's words. */
  readonly message: string;
  /** Whether only its beginning is. */
  readonly hasGrown: boolean;
};

/**
 * Returns what a refusal says of a file that was imported before, without the parameters that it
 * names: the page has buttons for them.
 */
export function knownFile(message: string): KnownFile {
  const said = message.replace(/^Nothing was imported again - /, '').replace(/: give [^:]*$/, '');
  return { message: said, hasGrown: /the file has grown since$/.test(said) };
}
