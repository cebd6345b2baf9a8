import { shown } from '../../../domain/errors.ts';
import { protocolNumber } from '../../../domain/keys/ip-protocols.ts';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import {
  type Flow,
  type FlowPorts,
  hasPorts,
  type PortRule,
  UNKNOWN_PROTOCOL,
} from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { type JsonObject, jsonObject, jsonScalar } from '../../lines/json-line.ts';
import type { ExportNumber } from '../../losses/export-number.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  type FlowRecord,
  integerIn,
  MAX_PORT,
  sampledIn,
} from '../fields/flow-fields.ts';
import { type LocalTimeReader, localTimeReader } from '../fields/local-time.ts';
import { pmacctSequence } from './pmacct-sequence.ts';
import { pmacctTime } from './pmacct-time.ts';

type PmacctOptions = {
  /** Time zone of local times: pmacct writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
  /** Called for the packet of each line, even if no flow can be taken from the line. */
  readonly onNumber?: (number: ExportNumber) => void;
};

/**
 * Returns a parser of the JSON lines of pmacct's print and kafka plugins. It returns null for a
 * line without traffic. What a line reports depends on `aggregate` in pmacct's settings: any of its
 * addresses, ports and protocol may be missing.
 */
export function createPmacctParser({
  timeZone,
  portRule,
  onNumber,
}: PmacctOptions): (line: string) => Flow | null {
  const addressOf = addressReader();
  const localTime = localTimeReader(timeZone);
  return (line) => {
    const object = jsonObject(line);
    const record = recordOf(object);
    const number = onNumber && pmacctSequence(record);
    if (number) onNumber(number);
    return hasTraffic(object) ? flowOf(record, { addressOf, localTime, portRule }) : null;
  };
}

/**
 * Returns whether a line has traffic. Markers of the beginning and end of a purge, and events of
 * firewalls and NAT, have none.
 */
function hasTraffic(object: JsonObject): boolean {
  if ('bytes' in object || 'packets' in object) return true;
  if (['event_type', 'nat_event', 'fw_event'].some((field) => field in object)) return false;
  throw new BadLine('bytes and packets are missing: a line of pmacct has at least one of them');
}

/**
 * Reads the fields of a line. pmacct writes an empty text for what it does not know, such as the
 * addresses of ARP.
 */
const recordOf = (object: JsonObject): FlowRecord => ({
  text(field) {
    const value = object[field];
    if (value === undefined || value === null || value === '') return undefined;
    const scalar = jsonScalar(value);
    if (scalar === null) throw new BadLine(`${field} must be a text or a number`);
    return scalar;
  },
});

type LineReading = {
  readonly portRule: PortRule;
  readonly addressOf: AddressReader;
  readonly localTime: LocalTimeReader;
};

/**
 * Returns the flow of a record. Traffic is one-way: the reverse direction has a line of its own.
 */
function flowOf(record: FlowRecord, { portRule, addressOf, localTime }: LineReading): Flow {
  const protocol = protocolIn(record);
  const rate = countIn(record, 'sampling_rate') || 1;
  return {
    ...pmacctTime(record, localTime),
    protocol,
    ports: protocol !== null && hasPorts(protocol) ? portsIn(record, portRule) : null,
    portRule,
    originator: {
      address: addressOrNone(record, 'ip_src', addressOf),
      bytes: sampledIn(record, 'bytes', rate),
      packets: sampledIn(record, 'packets', rate),
    },
    responder: {
      address: addressOrNone(record, 'ip_dst', addressOf),
      bytes: 0,
      packets: 0,
    },
    connections: record.text('flows') === undefined ? 1 : countIn(record, 'flows'),
  };
}

const addressOrNone = (
  record: FlowRecord,
  field: string,
  addressOf: AddressReader,
): KeyText | null =>
  record.text(field) === undefined ? null : addressIn(record, field, addressOf);

/**
 * Reads the ports. If only one is reported, that one counts, unless it is the source's and the rule
 * asks for the destination's.
 */
function portsIn(record: FlowRecord, portRule: PortRule): FlowPorts | null {
  const source = portIn(record, 'port_src');
  const destination = portIn(record, 'port_dst');
  if (destination !== null) return { source, destination };
  return source === null || portRule === 'destination'
    ? null
    : { source: null, destination: source };
}

const portIn = (record: FlowRecord, field: string): number | null =>
  record.text(field) === undefined ? null : integerIn(record, field, MAX_PORT);

/** pmacct's names that differ from IANA's keywords, in lower case. */
const NAMES: ReadonlyMap<string, number> = new Map([
  ['ip', 0],
  ['ipencap', 4],
  ['mobile', 55],
  ['ospf', 89],
  ['isis', 124],
  ['others', UNKNOWN_PROTOCOL],
]);

/** Reads a name, or a number (print_num_protos); null if the aggregate has no protocol. */
function protocolIn(record: FlowRecord): number | null {
  const text = record.text('ip_proto');
  if (text === undefined) return null;
  const number = /^\d+$/.test(text)
    ? integerIn(record, 'ip_proto', 255)
    : (NAMES.get(text.toLowerCase()) ?? protocolNumber(text));
  if (number !== null) return number;
  throw new BadLine(`ip_proto must be an IP protocol, got ${shown(text)}`);
}
