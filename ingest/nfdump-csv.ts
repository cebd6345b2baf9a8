import { shown } from '../domain/errors.ts';
import type { KeyText } from '../domain/key-text.ts';
import { startOfMinute } from '../domain/time-zone.ts';
import { BadLine } from './bad-line.ts';
import { boundedCache } from './bounded-cache.ts';
import { type Flow, hasPorts } from './flow.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  durationIn,
  type FlowRecord,
  icmpOf,
  integerIn,
  MAX_PORT,
  requiredIn,
} from './flow-fields.ts';
import { nfdumpProtocol } from './nfdump-protocols.ts';
import { parseSeconds } from './zeek-time.ts';

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
  port: ['dp', 'dstPort'],
  protocol: ['pr', 'proto'],
  packets: ['ipkt', 'packets', 'inPackets'],
  bytes: ['ibyt', 'bytes', 'inBytes'],
  packetsBack: ['opkt', 'outPackets'],
  bytesBack: ['obyt', 'outBytes'],
} as const satisfies Record<string, readonly string[]>;

type ColumnRole = keyof typeof COLUMNS;

const REQUIRED: readonly ColumnRole[] = [
  'start',
  'source',
  'destination',
  'port',
  'protocol',
  'packets',
  'bytes',
];

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
 * line that holds no flow. Times are local ones of `timeZone`: nfdump writes those of its machine.
 */
export function createNfdumpParser(timeZone: string): (line: string) => Flow | null {
  const addressOf = addressReader();
  const minuteOf = boundedCache(KNOWN_MINUTES, (text: string) => startOfMinute(text, timeZone));
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
    return flowOf(recordOf(header, values), { names: header.names, addressOf, minuteOf });
  };
}

/** Flows begin with a number or, in formats of one's own, rarely with a letter. */
const isHeader = (line: string, values: readonly string[]): boolean =>
  /^[A-Za-z]/.test(line) && values.some((value) => HEADER_MARKS.includes(value));

const KNOWN_MINUTES = 4_096;

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

function recordOf({ width, places }: Header, values: readonly string[]): FlowRecord {
  if (values.length !== width) {
    throw new BadLine(`it must have ${width} fields, got ${values.length}`);
  }
  return { text: (field) => values[places.get(field) ?? -1] || undefined };
}

type FlowReading = {
  readonly names: Header['names'];
  readonly addressOf: AddressReader;
  readonly minuteOf: (text: string) => number | null;
};

/** nfdump's source is the originator; what it calls output, in flows of two ways, came back. */
function flowOf(record: FlowRecord, { names, addressOf, minuteOf }: FlowReading): Flow {
  const column = (role: ColumnRole): string => names[role] ?? COLUMNS[role][0];
  const source = addressIn(record, column('source'), addressOf);
  const protocol = protocolIn(record, column('protocol'), source);
  const startUs = timeIn(record, column('start'), minuteOf);
  return {
    startUs,
    durationUs:
      names.duration === undefined && names.end !== undefined
        ? durationUntil(startUs, timeIn(record, names.end, minuteOf))
        : durationIn(record, column('duration')),
    protocol,
    responderPort: hasPorts(protocol) ? integerIn(record, column('port'), MAX_PORT) : null,
    originator: {
      address: source,
      bytes: countIn(record, column('bytes')),
      packets: countIn(record, column('packets')),
    },
    responder: {
      address: addressIn(record, column('destination'), addressOf),
      bytes: countIn(record, column('bytesBack')),
      packets: countIn(record, column('packetsBack')),
    },
  };
}

function protocolIn(record: FlowRecord, field: string, source: KeyText): number {
  const text = requiredIn(record, field);
  const protocol = nfdumpProtocol(text);
  if (protocol !== null) return icmpOf(protocol, source);
  throw new BadLine(`${field} must be an IP protocol, got ${shown(text)}`);
}

const LOCAL_TIME = /^(\d{4}-\d\d-\d\d \d\d:\d\d):(\d\d(?:\.\d{1,9})?)$/;

/** Local times, epoch seconds with a fraction (`%tsr`), or epoch milliseconds (`-o csv-fast`). */
function timeIn(record: FlowRecord, field: string, minuteOf: FlowReading['minuteOf']): number {
  const text = requiredIn(record, field);
  if (/^\d{12,15}$/.test(text)) return Number(text) * 1000;
  const [, minute, seconds = ''] = LOCAL_TIME.exec(text) ?? [];
  if (minute === undefined) {
    const micros = parseSeconds(text);
    if (micros !== null && micros >= 0) return micros;
  } else {
    const start = minuteOf(minute);
    const within = parseSeconds(seconds);
    if (start !== null && within !== null && within < 60e6) return start * 1e6 + within;
  }
  throw new BadLine(`${field} must look like 2026-07-15 10:00:00.000, got ${shown(text)}`);
}

function durationUntil(startUs: number, endUs: number): number {
  if (endUs >= startUs) return endUs - startUs;
  throw new BadLine('the flow must not end before it starts');
}
