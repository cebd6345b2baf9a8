import { BadLine } from '../../lines/bad-line.ts';
import type { FlowRecord } from '../fields/flow-fields.ts';

/**
 * nfdump's names for the columns used here: up to 1.7.4, since 1.7.5, and in custom formats
 * (`-o csv:%ts,…`). The header decides which of them exist, and where.
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
  flows: ['fl', 'flows'],
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
  /** Returns the header's name for the column, or its usual name if the header has none. */
  readonly column: (role: ColumnRole) => string;
  readonly has: (role: ColumnRole) => boolean;
};

/** Positions of a header's columns, and the names of those used here. */
type Header = {
  readonly width: number;
  readonly indexes: ReadonlyMap<string, number>;
  readonly names: Readonly<Partial<Record<ColumnRole, string>>>;
};

/** Only a header has a field with one of these names; the header of the summary has none. */
const HEADER_MARKS: readonly string[] = [
  ...COLUMNS.start,
  ...COLUMNS.source,
  ...COLUMNS.destination,
];

/**
 * Returns a reader of the lines that `nfdump -o csv` writes, one output or several in sequence. It
 * returns null for a line without a record. The first header that lacks columns of what came back
 * is noted.
 */
export function createNfdumpReader(
  onNote: (note: string) => void = () => {},
): (line: string) => NfdumpRow | null {
  let header: Header | null = null;
  let isSummary = false;
  let isNoted = false;
  return (line) => {
    const values = line.split(',');
    if (isHeader(line, values)) {
      // An invalid header must not leave the previous one in force.
      header = null;
      header = readHeader(values);
      isSummary = false;
      const note = isNoted ? null : oneWayNote(header);
      if (note !== null) {
        isNoted = true;
        onNote(note);
      }
      return null;
    }
    if (line === 'Summary') isSummary = true;
    if (isSummary || NO_FLOWS.has(line)) return null;
    if (header === null) {
      throw new BadLine('there is no header line before it: call nfdump without -q');
    }
    return rowOf(header, values);
  };
}

/**
 * Returns whether a line is a header. Flows begin with a digit or, rarely, in custom formats, with
 * a letter.
 */
const isHeader = (line: string, values: readonly string[]): boolean =>
  /^[A-Za-z]/.test(line) && values.some((value) => HEADER_MARKS.includes(value));

/** What a header lacks of what came back, and how to get it; null if it lacks nothing. */
function oneWayNote({ names }: Header): string | null {
  const lacking = REVERSE.filter(({ role }) => names[role] === undefined);
  if (lacking.length === 0) return null;
  return (
    `the header has no column ${lacking.map(({ name }) => name).join(' and no column ')}: what the ` +
    'other end sent back is not counted if a record has both directions, as with -B. To count ' +
    `it, ask nfdump for ${lacking.map(({ token }) => token).join(',')}: -o ${NFDUMP_COLUMNS}`
  );
}

/**
 * The output format to ask nfdump for. Since 1.7.5, `-o csv` has no columns of what came back;
 * older versions have them, and know no formats with columns.
 */
export const NFDUMP_COLUMNS = 'csv:%ts,%te,%td,%pr,%sa,%sp,%da,%dp,%ipkt,%ibyt,%opkt,%obyt,%fl';

const REVERSE = [
  { role: 'packetsBack', name: 'outPackets', token: '%opkt' },
  { role: 'bytesBack', name: 'outBytes', token: '%obyt' },
] as const;

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
      `the header must have a column ${lacking.join(', and one ')}: ask nfdump for ` +
        `-o ${NFDUMP_COLUMNS} (before 1.7.5 -o csv), without statistics (-s)`,
    );
  }
  return { width: values.length, names, indexes: new Map(values.map((name, i) => [name, i])) };
}

function rowOf({ width, indexes, names }: Header, values: readonly string[]): NfdumpRow {
  if (values.length !== width) {
    throw new BadLine(`it must have ${width} fields, got ${values.length}`);
  }
  return {
    text: (field) => values[indexes.get(field) ?? -1] || undefined,
    column: (role) => names[role] ?? COLUMNS[role][0],
    has: (role) => names[role] !== undefined,
  };
}
