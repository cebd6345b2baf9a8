import { shown } from '../../../domain/errors.ts';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import type { Flow, PortRule } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import type { SkipReason } from '../../lines/skipped-lines.ts';
import type { Whole } from '../../whole.ts';
import { parseSeconds } from '../fields/decimal-time.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  type FlowRecord,
  icmpOf,
  portsIn,
  requiredIn,
} from '../fields/flow-fields.ts';
import { type LocalTimeReader, localTimeReader } from '../fields/local-time.ts';
import { nfdumpProtocol } from './nfdump-protocols.ts';
import { createNfdumpReader, type NfdumpRow } from './nfdump-rows.ts';
import { nfdumpSpan } from './nfdump-span.ts';
import type { NfdumpFlow } from './nfdump-tunnels.ts';

type NfdumpOptions = {
  /** Time zone of local times: nfdump writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
  /** Called if the header lacks columns, once. */
  readonly onNote?: (note: string) => void;
};

/**
 * Returns a parser of the flows that `nfdump -o csv` writes, one output or several in sequence. It
 * returns null for a line without a record, such as a header, and `events` for a record without
 * times and traffic: firewalls and NAT gateways report what they do in such records.
 */
export function createNfdumpParser({
  timeZone,
  portRule,
  onNote,
}: NfdumpOptions): (line: string) => NfdumpFlow | SkipReason | null {
  const read = createNfdumpReader(onNote);
  const addressOf = addressReader();
  const localTime = localTimeReader(timeZone);
  return (line) => {
    const row = read(line);
    if (row === null) return null;
    return isEvent(row) ? 'events' : { row, flow: flowOf(row, { portRule, addressOf, localTime }) };
  };
}

type FlowReading = {
  readonly portRule: PortRule;
  readonly addressOf: AddressReader;
  readonly localTime: LocalTimeReader;
};

/**
 * Returns the flow of a row. nfdump's source is the originator. In two-way flows, what nfdump calls
 * output came back.
 */
function flowOf(row: NfdumpRow, { portRule, addressOf, localTime }: FlowReading): Flow {
  const { column } = row;
  const source = addressIn(row, column('source'), addressOf);
  const protocol = protocolIn(row, column('protocol'), source);
  const startUs = timeIn(row, column('start'), localTime);
  const responder = {
    address: addressIn(row, column('destination'), addressOf),
    bytes: countIn(row, column('bytesBack')),
    packets: countIn(row, column('packetsBack')),
  };
  const span = nfdumpSpan(row, { startUs, endUs: () => endIn(row, localTime) });
  return {
    startUs: span.startUs,
    durationUs: span.durationUs,
    protocol,
    ports: portsIn(row, protocol, { source: column('sourcePort'), destination: column('port') }),
    portRule,
    originator: {
      address: source,
      bytes: countIn(row, column('bytes')),
      packets: countIn(row, column('packets')),
    },
    responder,
    connections: connectionsIn(row, responder.bytes !== 0 || responder.packets !== 0),
  };
}

function protocolIn(record: FlowRecord, field: string, source: KeyText): number {
  const text = requiredIn(record, field);
  const protocol = nfdumpProtocol(text);
  if (protocol !== null) return icmpOf(protocol, source);
  throw new BadLine(`${field} must be an IP protocol, got ${shown(text)}`);
}

/**
 * What nfdump writes for a time that a record does not have: zeros since 1.7.5, and before the
 * beginning of 1970 in its time zone.
 */
const NO_TIME = /^((0000-00-00|1970-01-01|1969-12-31) .*|0+(\.0*)?)$/;

function hasTime(row: NfdumpRow, role: 'start' | 'end'): boolean {
  const text = row.text(row.column(role));
  return text !== undefined && !NO_TIME.test(text);
}

const AMOUNTS = ['bytes', 'packets', 'bytesBack', 'packetsBack'] as const;

const isEvent = (row: NfdumpRow): boolean =>
  AMOUNTS.every((role) => (row.text(row.column(role)) ?? '0') === '0') &&
  !hasTime(row, 'start') &&
  !hasTime(row, 'end');

/** Returns when the flow ended; null if the row does not say. */
const endIn = (row: NfdumpRow, localTime: LocalTimeReader): number | null =>
  hasTime(row, 'end') ? timeIn(row, row.column('end'), localTime) : null;

/**
 * Returns how many connections a row is. A connection whose two directions are paired (-B) is one,
 * of as many flows as nfdump has found in either direction.
 */
function connectionsIn(row: NfdumpRow, answered: boolean): Whole {
  const { column, has } = row;
  return answered || !has('flows') ? 1 : countIn(row, column('flows')) || 1;
}

/**
 * Reads local times, epoch seconds with a fraction (`%tsr`), or epoch milliseconds (`-o csv-fast`).
 */
function timeIn(record: FlowRecord, field: string, localTime: LocalTimeReader): number {
  const text = requiredIn(record, field);
  if (/^\d{12,15}$/.test(text)) return Number(text) * 1000;
  const micros = localTime(text) ?? parseSeconds(text);
  if (micros !== null && micros >= 0) return micros;
  throw new BadLine(`${field} must look like 2026-07-15 10:00:00.000, got ${shown(text)}`);
}
