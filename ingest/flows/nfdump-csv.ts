import { shown } from '../../domain/errors.ts';
import type { KeyText } from '../../domain/key-text.ts';
import { startOfMinute } from '../../domain/time-zone.ts';
import { BadLine } from '../bad-line.ts';
import { boundedCache } from '../bounded-cache.ts';
import { type Flow, hasPorts, type PortRule } from './flow.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  type FlowRecord,
  icmpOf,
  portsIn,
  requiredIn,
} from './flow-fields.ts';
import { nfdumpDuration } from './nfdump-duration.ts';
import { nfdumpProtocol } from './nfdump-protocols.ts';
import { createNfdumpReader, type NfdumpRow } from './nfdump-rows.ts';
import { parseSeconds } from './zeek-time.ts';

export type NfdumpOptions = {
  /** Of this zone are local times: nfdump writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
};

/**
 * Reads the flows that `nfdump -o csv` writes, one output or several after each other; null for a
 * line that holds no flow.
 */
export function createNfdumpParser({
  timeZone,
  portRule,
}: NfdumpOptions): (line: string) => Flow | null {
  const read = createNfdumpReader();
  const addressOf = addressReader();
  const minuteOf = boundedCache(KNOWN_MINUTES, (text: string) => startOfMinute(text, timeZone));
  return (line) => {
    const row = read(line);
    return row && flowOf(row, { portRule, addressOf, minuteOf });
  };
}

const KNOWN_MINUTES = 4_096;

type FlowReading = {
  readonly portRule: PortRule;
  readonly addressOf: AddressReader;
  readonly minuteOf: (text: string) => number | null;
};

/** nfdump's source is the originator; what it calls output, in flows of two ways, came back. */
function flowOf(row: NfdumpRow, { portRule, addressOf, minuteOf }: FlowReading): Flow {
  const { column } = row;
  const source = addressIn(row, column('source'), addressOf);
  const protocol = protocolIn(row, column('protocol'), source);
  const startUs = timeIn(row, column('start'), minuteOf);
  return {
    startUs,
    durationUs: nfdumpDuration(row, {
      startUs,
      endUs: () => timeIn(row, column('end'), minuteOf),
    }),
    protocol,
    ports: hasPorts(protocol) ? portsIn(row, column('sourcePort'), column('port')) : null,
    portRule,
    originator: {
      address: source,
      bytes: countIn(row, column('bytes')),
      packets: countIn(row, column('packets')),
    },
    responder: {
      address: addressIn(row, column('destination'), addressOf),
      bytes: countIn(row, column('bytesBack')),
      packets: countIn(row, column('packetsBack')),
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
