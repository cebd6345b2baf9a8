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
import {
  hasSome,
  type JsonLineKind,
  type JsonObject,
  jsonObject,
  jsonScalar,
} from '../../lines/json-line.ts';
import type { SkipReason } from '../../lines/skipped-lines.ts';
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
import { hasPmacctTime, pmacctTime } from './pmacct-time.ts';

type PmacctOptions = {
  /** Time zone of local times: pmacct writes those of its machine. */
  readonly timeZone: string;
  readonly portRule: PortRule;
  /** Called for the packet of each line, even if no flow can be taken from the line. */
  readonly onNumber?: (number: ExportNumber) => void;
};

/**
 * Returns a parser of the JSON lines of pmacct's print and kafka plugins. It returns null for a
 * marker of the beginning or the end of a purge, and `events` for an event of a firewall or of NAT.
 * What a line reports depends on `aggregate` in pmacct's settings: any of its
 * addresses, ports and protocol may be missing.
 */
export function createPmacctParser({
  timeZone,
  portRule,
  onNumber,
}: PmacctOptions): (line: string) => Flow | SkipReason | null {
  const addressOf = addressReader();
  const localTime = localTimeReader(timeZone);
  return (line) => {
    const object = jsonObject(line);
    const record = recordOf(object);
    const number = onNumber && pmacctSequence(record);
    if (number) onNumber(number);
    if (MARKERS.has(record.text('event_type') ?? '')) return null;
    return isEvent(record, object) ? 'events' : flowOf(record, { addressOf, localTime, portRule });
  };
}

const MARKERS: ReadonlySet<string> = new Set(['purge_init', 'purge_close']);

const COUNTERS = ['bytes', 'packets', 'flows'] as const;

/**
 * Returns whether a line is an event. pmacct writes events without counters, and traffic always
 * with `bytes`. Whether an event says what happened depends on `aggregate`. As in other formats, a
 * line without times and traffic is one too.
 */
function isEvent(record: FlowRecord, object: JsonObject): boolean {
  if (record.text('bytes') !== undefined) {
    const hasTraffic = countIn(record, 'bytes') !== 0 || countIn(record, 'packets') !== 0;
    return !hasTraffic && !hasPmacctTime(record);
  }
  const isOfPmacct =
    record.text('event_type') === 'purge' || 'nat_event' in object || 'fw_event' in object;
  if (isOfPmacct && COUNTERS.every((field) => record.text(field) === undefined)) return true;
  throw new BadLine('bytes is missing: pmacct writes it in each line of traffic');
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

export const PMACCT_LINES: JsonLineKind = {
  name: 'lines of pmacct',
  isOf: (record) =>
    ('event_type' in record && record.event_type === 'purge') ||
    hasSome(record, [
      'ip_src',
      'ip_dst',
      'port_src',
      'port_dst',
      'stamp_inserted',
      'stamp_updated',
    ]),
};
