import { shown } from '../../../domain/errors.ts';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type Flow, hasPorts, type PortRule } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
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

type NfdumpOptions = {
  /** Time zone of local times: nfdump writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
};

/**
 * Returns a parser of the flows that `nfdump -o csv` writes, one output or several in sequence. It
 * returns null for a line without a flow.
 */
export function createNfdumpParser({
  timeZone,
  portRule,
}: NfdumpOptions): (line: string) => Flow | null {
  const read = createNfdumpReader();
  const addressOf = addressReader();
  const localTime = localTimeReader(timeZone);
  return (line) => {
    const row = read(line);
    return row && flowOf(row, { portRule, addressOf, localTime });
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
  return {
    ...nfdumpSpan(row, { startUs, endUs: () => endIn(row, localTime) }),
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

/** What nfdump writes since 1.7.5 for a time that a record does not have. */
const NO_TIME = /^(0000-00-00 00:00:00.*|0+(\.0*)?)$/;

/** Returns when the flow ended; null if the row does not say. */
function endIn(row: NfdumpRow, localTime: LocalTimeReader): number | null {
  const field = row.column('end');
  const text = row.text(field);
  return text === undefined || NO_TIME.test(text) ? null : timeIn(row, field, localTime);
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
