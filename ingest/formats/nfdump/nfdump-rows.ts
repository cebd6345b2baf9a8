import { BadLine } from '../../lines/bad-line.ts';
import type { FlowRecord } from '../fields/flow-fields.ts';

/**
 * What nfdump calls the columns that count here: up to 1.7.4, since 1.7.5, and in formats of one's
 * own (`-o csv:%ts,…`). The header decides which of them are there, and where.
 */
const COLUMNS = {
  start: ['ts', 'firstSeen'],
  end: ['te', 'lastSeen'],
  duration: ['td', 'duration'],
  source: ['sa', 'srcAddr'],
  destination: ['da', 'dstAddr'],
  sourcePort: ['sp', 'srcPort'],
  port: ['dp', 'dstPort'],
  protocol: ['pr', 'proto'],
  packets: ['ipkt', 'packets', 'inPackets'],
  bytes: ['ibyt', 'bytes', 'inBytes'],
  packetsBack: ['opkt', 'outPackets'],
  bytesBack: ['obyt', 'outBytes'],
} as const satisfies Record<string, readonly string[]>;

export type ColumnRole = keyof typeof COLUMNS;

const REQUIRED: readonly ColumnRole[] = [
  'start',
  'source',
  'destination',
  'port',
  'protocol',
  'packets',
  'bytes',
];

/** A line that holds a flow. */
export type NfdumpRow = FlowRecord & {
  /** What the header calls the column; its usual name where it has none. */
  readonly column: (role: ColumnRole) => string;
  readonly has: (role: ColumnRole) => boolean;
};

/** Where a header says that columns are, and what it calls those that count. */
type Header = {
  readonly width: number;
  readonly places: ReadonlyMap<string, number>;
  readonly names: Readonly<Partial<Record<ColumnRole, string>>>;
};

/** Only a header has a field of one of these names; the summary's own header has none. */
const HEADER_MARKS: readonly string[] = [
  ...COLUMNS.start,
  ...COLUMNS.source,
  ...COLUMNS.destination,
];

/**
 * Reads the lines that `nfdump -o csv` writes, one output or several after each other; null for a
 * line that holds no flow.
 */
export function createNfdumpReader(): (line: string) => NfdumpRow | null {
  let header: Header | null = null;
  let isSummary = false;
  return (line) => {
    const values = line.split(',');
    if (isHeader(line, values)) {
      // One that is no good must not leave the one before it in force.
      header = null;
      header = readHeader(values);
      isSummary = false;
      return null;
    }
    if (line === 'Summary') isSummary = true;
    if (isSummary || NO_FLOWS.has(line)) return null;
    if (header === null) {
      throw new BadLine('there is no header line before it: call nfdump with -o csv, without -q');
    }
    return rowOf(header, values);
  };
}

/** Flows begin with a number or, in formats of one's own, rarely with a letter. */
const isHeader = (line: string, values: readonly string[]): boolean =>
  /^[A-Za-z]/.test(line) && values.some((value) => HEADER_MARKS.includes(value));

const NO_FLOWS: ReadonlySet<string> = new Set(['No matching flows', 'No matched flows']);

function readHeader(values: readonly string[]): Header {
  const names: Partial<Record<ColumnRole, string>> = {};
  for (const role of Object.keys(COLUMNS) as ColumnRole[]) {
    const name = COLUMNS[role].find((each) => values.includes(each));
    if (name !== undefined) names[role] = name;
  }
  const missing = REQUIRED.filter((role) => names[role] === undefined);
  if (missing.length > 0) {
    const lacking = missing.map((role) => COLUMNS[role].join(' or '));
    throw new BadLine(
      `the header must have a column ${lacking.join(', and one ')}: ` +
        'flows are what `nfdump -o csv` writes without statistics (-s)',
    );
  }
  return { width: values.length, names, places: new Map(values.map((name, i) => [name, i])) };
}

function rowOf({ width, places, names }: Header, values: readonly string[]): NfdumpRow {
  if (values.length !== width) {
    throw new BadLine(`it must have ${width} fields, got ${values.length}`);
  }
  return {
    text: (field) => values[places.get(field) ?? -1] || undefined,
    column: (role) => names[role] ?? COLUMNS[role][0],
    has: (role) => names[role] !== undefined,
  };
}
