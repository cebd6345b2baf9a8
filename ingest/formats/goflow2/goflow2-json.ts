import { shown } from '../../../domain/errors.ts';
import { protocolNumber } from '../../../domain/keys/ip-protocols.ts';
import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type Flow, type PortRule, UNKNOWN_PROTOCOL } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { hasSome, type JsonLineKind, jsonObject, jsonScalar } from '../../lines/json-line.ts';
import type { SkipReason } from '../../lines/skipped-lines.ts';
import type { ExportNumber } from '../../losses/export-number.ts';
import {
  type AddressReader,
  addressIn,
  addressReader,
  countIn,
  type FlowRecord,
  icmpOf,
  integerIn,
  portsIn,
  requiredIn,
  sampledIn,
} from '../fields/flow-fields.ts';
import { goflow2Sequence } from './goflow2-sequence.ts';
import { goflow2Time, hasFlowTime } from './goflow2-time.ts';

type Goflow2Options = {
  readonly portRule: PortRule;
  /** Called for the packet of each line, even if no flow can be taken from the line. */
  readonly onNumber?: (number: ExportNumber) => void;
};

/**
 * Returns a parser of the lines that goflow2 writes with `-format json`, in version 2 (`src_addr`)
 * or 1 (`SrcAddr`). It returns `notIp` for a line without an IP flow, such as a sampled ARP frame,
 * and `events` for a record without times and traffic, as firewalls and NAT gateways send them.
 */
export function createGoflow2Parser({
  portRule,
  onNumber,
}: Goflow2Options): (line: string) => Flow | SkipReason {
  const addressOf = addressReader();
  return (line) => {
    const record = readRecord(line);
    const number = onNumber && goflow2Sequence(record);
    if (number) onNumber(number);
    if (!isOfIp(record)) return 'notIp';
    return isEvent(record) ? 'events' : flowOf(record, addressOf, portRule);
  };
}

/** Reads a line's fields by their names in version 2, whichever version wrote the line. */
function readRecord(line: string): FlowRecord {
  const object = jsonObject(withTimesAsTexts(line));
  return {
    text(field) {
      const value = object[field] ?? object[nameInVersion1(field)];
      if (value === undefined || value === null) return undefined;
      const scalar = jsonScalar(value);
      if (scalar === null) throw new BadLine(`${field} must be a text or a number`);
      return scalar;
    },
  };
}

/**
 * Turns times into strings. Every line has three times of 19 digits, which only the slow, exact
 * JSON parser would read correctly; as strings they stay exact in any parser. A field's name cannot
 * be mistaken, because within a text its quotes are escaped.
 */
const withTimesAsTexts = (line: string): string =>
  line.replaceAll(/("time_[a-z_]+_ns":)(\d+)/g, '$1"$2"');

const VERSION_1_NAMES = new Map<string, string>();

/** Returns a field's name in version 1: `src_addr` was `SrcAddr`. */
function nameInVersion1(field: string): string {
  const known = VERSION_1_NAMES.get(field);
  if (known !== undefined) return known;
  const name = field.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  VERSION_1_NAMES.set(field, name);
  return name;
}

/** Names or numbers of the Ethernet types that carry IP. */
const IP_TYPES: ReadonlySet<string> = new Set(['IPv4', 'IPv6', '2048', '34525']);

/**
 * Returns whether a record is of IP, because sFlow samples everything on a wire. A frame that
 * claims to be IP must have addresses.
 */
function isOfIp(record: FlowRecord): boolean {
  if (record.text('src_addr') || record.text('dst_addr')) return true;
  const type = record.text('etype');
  return type === undefined || IP_TYPES.has(type);
}

/** Other programs' JSON has neither these amounts nor these times. */
const isEvent = (record: FlowRecord): boolean =>
  record.text('bytes') !== undefined &&
  countIn(record, 'bytes') === 0 &&
  countIn(record, 'packets') === 0 &&
  !hasFlowTime(record);

/**
 * Returns the flow of a record. A record of NetFlow, IPFIX or sFlow is one-way, and its source is
 * the originator (ADR 11). Its amounts stand for `sampling_rate` times as much, but it is one flow.
 */
function flowOf(record: FlowRecord, addressOf: AddressReader, portRule: PortRule): Flow {
  const source = addressIn(record, 'src_addr', addressOf);
  const protocol = protocolIn(record, source);
  const rate = countIn(record, 'sampling_rate') || 1;
  return {
    ...goflow2Time(record),
    protocol,
    ports: portsIn(record, protocol, { source: 'src_port', destination: 'dst_port' }),
    portRule,
    originator: {
      address: source,
      bytes: sampledIn(record, 'bytes', rate),
      packets: sampledIn(record, 'packets', rate),
    },
    responder: { address: addressIn(record, 'dst_addr', addressOf), bytes: 0, packets: 0 },
  };
}

/** goflow2's lower-case names for protocols without an IANA keyword, and for ICMPv6. */
const NAMES: ReadonlyMap<string, number> = new Map([
  ['icmpv6', 58],
  ['any-host-internal-protocol', 61],
  ['any-local-network', 63],
  ['any-distributed-file-system', 68],
  ['any-private-encryption-scheme', 99],
  ['any-0-hop-protocol', 114],
  // goflow2 does not report the number of these; older versions write nothing.
  ['', UNKNOWN_PROTOCOL],
  ['unassigned', UNKNOWN_PROTOCOL],
  ['experimental', UNKNOWN_PROTOCOL],
  ['reserved', UNKNOWN_PROTOCOL],
  ['unknown', UNKNOWN_PROTOCOL],
]);

function protocolIn(record: FlowRecord, source: KeyText): number {
  const text = requiredIn(record, 'proto');
  const number = /^\d+$/.test(text)
    ? integerIn(record, 'proto', 255)
    : (NAMES.get(text.toLowerCase()) ?? protocolNumber(text));
  if (number !== null) return icmpOf(number, source);
  throw new BadLine(`proto must be an IP protocol, got ${shown(text)}`);
}

export const GOFLOW2_LINES: JsonLineKind = {
  name: 'lines of goflow2',
  isOf: (record) =>
    hasSome(record, ['src_addr', 'dst_addr', 'time_received_ns', 'time_flow_start_ns']) ||
    hasSome(record, ['SrcAddr', 'DstAddr', 'TimeReceived', 'TimeFlowStart']),
};
