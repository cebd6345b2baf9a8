import { counted } from '../../format/counted.ts';

/** What the server says of an imported file: the answer of `POST /upload`. */
export type UploadReport = {
  readonly source: string;
  readonly context: string;
  readonly format: string;
  readonly lines: number;
  readonly records: number;
  /** The time of its readings, in epoch seconds; null: it has none. */
  readonly from: number | null;
  readonly to: number | null;
  readonly skipped: Readonly<Record<string, number>>;
  readonly badLines: {
    readonly count: number;
    readonly named: readonly { readonly line: number; readonly reason: string }[];
  };
  readonly notes?: readonly string[];
};

/** Why records are skipped, in words. */
const SKIPPED: Readonly<Record<string, string>> = {
  events: 'event of a firewall or NAT gateway',
  tunnelLines: 'line of a tunnel',
  notIp: 'frame that is not IP',
};

/** Says what was imported, and what was not. */
export function reportWords({ records, lines, format, skipped, badLines }: UploadReport): string[] {
  const what = format === 'samples' ? 'sample' : 'flow';
  const left = Object.entries(skipped)
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => `Skipped: ${counted(count, SKIPPED[reason] ?? reason)}.`);
  return [
    `${counted(records, what)} from ${counted(lines, 'line')}.`,
    ...left,
    ...(badLines.count > 0 ? [`${counted(badLines.count, 'line')} could not be read.`] : []),
  ];
}

export const UPLOAD_FORMATS = ['zeek', 'nfdump', 'goflow2', 'pmacct', 'samples'] as const;

export type UploadFormat = (typeof UPLOAD_FORMATS)[number];

/** Guesses the format of a file by its name and beginning; null: nothing tells. */
export function guessFormat(name: string, beginning: string): UploadFormat | null {
  if (/^#separator|"id\.orig_h"|"id_orig_h"/.test(beginning)) return 'zeek';
  if (/^ts,|^Date first seen/i.test(beginning)) return 'nfdump';
  if (/"(src_addr|SrcAddr|sampler_address)"/.test(beginning)) return 'goflow2';
  if (/"(ip_src|event_type)"/.test(beginning)) return 'pmacct';
  if (/"group"\s*:/.test(beginning)) return 'samples';
  if (/(^|[^a-z])conn[._-].*log/i.test(name)) return 'zeek';
  return null;
}
