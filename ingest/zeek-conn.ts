import { shown } from '../domain/errors.ts';
import { protocolNumber } from '../domain/ip-protocols.ts';
import { type KeyText, parseReadableKey } from '../domain/key-text.ts';
import { LIMITS } from '../domain/limits.ts';
import { BadLine } from './bad-line.ts';
import { boundedCache } from './bounded-cache.ts';
import { type Flow, hasPorts } from './flow.ts';
import { isReading, parseWhole, type Whole } from './whole.ts';
import { createZeekReader, type ZeekRecord } from './zeek-log.ts';
import { parseSeconds, parseTimestamp } from './zeek-time.ts';

/** Reads the lines of a Zeek `conn.log` in their order; null for a line that holds no flow. */
export function createZeekConnParser(): (line: string) => Flow | null {
  const read = createZeekReader();
  const addressOf = boundedCache(LIMITS.importKnownAddresses, (text: string) =>
    parseReadableKey('ip', text),
  );
  return (line) => {
    const record = read(line);
    return record && flowOf(record, addressOf);
  };
}

const MAX_PORT = 65_535;

type AddressReader = (text: string) => KeyText | null;

function flowOf(record: ZeekRecord, addressOf: AddressReader): Flow {
  const originator = addressIn(record, 'id.orig_h', addressOf);
  const responder = addressIn(record, 'id.resp_h', addressOf);
  const protocol = protocolIn(record, originator);
  // Bytes as IP counts them, headers included, where the log has them.
  const hasIpBytes = record.has('orig_ip_bytes') || record.has('resp_ip_bytes');
  return {
    startUs: startIn(record),
    durationUs: durationIn(record),
    protocol,
    responderPort: hasPorts(protocol) ? integerIn(record, 'id.resp_p', MAX_PORT) : null,
    originator: {
      address: originator,
      bytes: countIn(record, hasIpBytes ? 'orig_ip_bytes' : 'orig_bytes'),
      packets: countIn(record, 'orig_pkts'),
    },
    responder: {
      address: responder,
      bytes: countIn(record, hasIpBytes ? 'resp_ip_bytes' : 'resp_bytes'),
      packets: countIn(record, 'resp_pkts'),
    },
  };
}

function required(record: ZeekRecord, field: string): string {
  const text = record.text(field);
  if (text === undefined) throw new BadLine(`${field} is missing`);
  return text;
}

function startIn(record: ZeekRecord): number {
  const text = required(record, 'ts');
  const micros = parseTimestamp(text);
  if (micros === null) {
    throw new BadLine(`ts must be a time in epoch seconds or ISO 8601, got ${shown(text)}`);
  }
  return micros;
}

function durationIn(record: ZeekRecord): number {
  const text = record.text('duration');
  if (text === undefined) return 0;
  const micros = parseSeconds(text);
  if (micros === null || micros < 0) {
    throw new BadLine(`duration must be a number of seconds, 0 or more, got ${shown(text)}`);
  }
  return micros;
}

function addressIn(record: ZeekRecord, field: string, addressOf: AddressReader): KeyText {
  const text = required(record, field);
  const address = addressOf(text);
  if (address === null) throw new BadLine(`${field} must be an IP address, got ${shown(text)}`);
  return address;
}

function integerIn(record: ZeekRecord, field: string, max: number): number {
  const text = required(record, field);
  if (/^\d{1,5}$/.test(text) && Number(text) <= max) return Number(text);
  throw new BadLine(`${field} must be an integer from 0 to ${max}, got ${shown(text)}`);
}

/** An amount that the log leaves unset counts 0. */
function countIn(record: ZeekRecord, field: string): Whole {
  const text = record.text(field);
  if (text === undefined) return 0;
  const count = parseWhole(text);
  if (count === null || count < 0 || !isReading(count)) {
    throw new BadLine(`${field} must be an integer from 0 to 2^63-1, got ${shown(text)}`);
  }
  return count;
}

const ICMP = 1;
const ICMP_FOR_IPV6 = 58;
const UNKNOWN_PROTOCOL = 255;
const IPV4_KEY_LENGTH = 'C0.A8.01.0A'.length;

function protocolIn(record: ZeekRecord, originator: KeyText): number {
  if (record.text('ip_proto') !== undefined) return integerIn(record, 'ip_proto', 255);
  const name = required(record, 'proto');
  if (name === 'unknown_transport') return UNKNOWN_PROTOCOL;
  const protocol = protocolNumber(name);
  if (protocol === null) {
    throw new BadLine(`proto must be the name of an IP protocol, got ${shown(name)}`);
  }
  // Zeek calls both protocols icmp.
  return protocol === ICMP && originator.length > IPV4_KEY_LENGTH ? ICMP_FOR_IPV6 : protocol;
}
