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

export type PmacctOptions = {
  /** Of this zone are local times: pmacct writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
  /** Told of the packet of each line, also where the line has no flow that can be taken. */
  readonly onNumber?: (number: ExportNumber) => void;
};

/**
 * Reads the JSON lines of pmacct's print and kafka plugins; null for a line that holds no traffic.
 * What a line tells depends on `aggregate` in the settings of pmacct: any of its addresses, ports
 * and protocol may be left out.
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

/** Marks of where a purge begins and ends, and events of firewalls and NAT, have no traffic. */
function hasTraffic(object: JsonObject): boolean {
  if ('bytes' in object || 'packets' in object) return true;
  if (['event_type', 'nat_event', 'fw_event'].some((field) => field in object)) return false;
  throw new BadLine('bytes and packets are missing: a line of pmacct has at least one of them');
}

/** pmacct writes an empty text for what it does not know, such as the addresses of ARP. */
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

/** Traffic goes one way: what is sent back is a line of its own. */
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

/** A port that is told alone has to do, unless it is the source's and the destination's counts. */
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

/** Names of pmacct's own table where IANA's keyword is another, in lower case. */
const NAMES: ReadonlyMap<string, number> = new Map([
  ['ip', 0],
  ['ipencap', 4],
  ['mobile', 55],
  ['ospf', 89],
  ['isis', 124],
  ['others', UNKNOWN_PROTOCOL],
]);

/** A name, or a number (print_num_protos); null where the aggregate has no protocol. */
function protocolIn(record: FlowRecord): number | null {
  const text = record.text('ip_proto');
  if (text === undefined) return null;
  const number = /^\d+$/.test(text)
    ? integerIn(record, 'ip_proto', 255)
    : (NAMES.get(text.toLowerCase()) ?? protocolNumber(text));
  if (number !== null) return number;
  throw new BadLine(`ip_proto must be an IP protocol, got ${shown(text)}`);
}
