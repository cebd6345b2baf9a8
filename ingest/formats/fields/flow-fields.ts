import { shown } from '../../../domain/errors.ts';
import { type KeyText, parseReadableKey } from '../../../domain/keys/key-text.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { boundedCache } from '../../bounded-cache.ts';
import { type FlowPorts, hasPorts, SCTP } from '../../flows/flow.ts';
import { BadLine } from '../../lines/bad-line.ts';
import { isReading, multiplyWhole, parseWhole, type Whole } from '../../whole.ts';
import { parseSeconds } from './decimal-time.ts';

/** The fields of a line of a flow format; undefined for a field that the line does not have. */
export type FlowRecord = { readonly text: (field: string) => string | undefined };

export type AddressReader = (text: string) => KeyText | null;

/** Returns a reader of addresses that caches what it has read, because most addresses repeat. */
export const addressReader = (): AddressReader =>
  boundedCache(LIMITS.importKnownAddresses, (text: string) => parseReadableKey('ip', text));

export function requiredIn(record: FlowRecord, field: string): string {
  const text = record.text(field);
  if (text === undefined) throw new BadLine(`${field} is missing`);
  return text;
}

export function addressIn(record: FlowRecord, field: string, addressOf: AddressReader): KeyText {
  const text = requiredIn(record, field);
  const address = addressOf(text);
  if (address === null) throw new BadLine(`${field} must be an IP address, got ${shown(text)}`);
  return address;
}

export function integerIn(record: FlowRecord, field: string, max: number): number {
  const text = requiredIn(record, field);
  if (/^\d{1,5}$/.test(text) && Number(text) <= max) return Number(text);
  throw new BadLine(`${field} must be an integer from 0 to ${max}, got ${shown(text)}`);
}

export const MAX_PORT = 65_535;

/** The fields of ports; null for the source's if it does not matter. */
type PortFields = { readonly source: string | null; readonly destination: string };

/**
 * Reads the ports of a flow; null if its protocol has none. A log may omit the source's, but the
 * destination's only of SCTP.
 */
export function portsIn(
  record: FlowRecord,
  protocol: number,
  { source, destination }: PortFields,
): FlowPorts | null {
  if (!hasPorts(protocol)) return null;
  if (protocol === SCTP && record.text(destination) === undefined) return null;
  const hasSource = source !== null && record.text(source) !== undefined;
  return {
    source: hasSource ? integerIn(record, source, MAX_PORT) : null,
    destination: integerIn(record, destination, MAX_PORT),
  };
}

/** Reads an amount; an unset one counts as 0. */
export function countIn(record: FlowRecord, field: string): Whole {
  const text = record.text(field);
  if (text === undefined) return 0;
  const count = parseWhole(text);
  if (count === null || count < 0 || !isReading(count)) {
    throw new BadLine(`${field} must be an integer from 0 to 2^63-1, got ${shown(text)}`);
  }
  return count;
}

/** Reads an amount of which one in `rate` was sampled, and multiplies it by `rate`. */
export function sampledIn(record: FlowRecord, field: string, rate: Whole): Whole {
  const amount = multiplyWhole(countIn(record, field), rate);
  if (isReading(amount)) return amount;
  throw new BadLine(`${field} times sampling_rate must be at most 2^63-1, got ${amount}`);
}

/** Reads seconds as whole microseconds; an unset field counts as 0. */
export function durationIn(record: FlowRecord, field: string): number {
  const text = record.text(field);
  if (text === undefined) return 0;
  const micros = parseSeconds(text);
  if (micros !== null && micros >= 0) return micros;
  throw new BadLine(`${field} must be a number of seconds, 0 or more, got ${shown(text)}`);
}

/** Returns the error for a flow for which the exporter reports impossible times. */
export const endsTooEarly = (start: string, end: string): BadLine =>
  new BadLine(
    `the flow must not end before it starts: the exporter says that it starts at ${start} and ` +
      `ends at ${end}: correct its clock or its settings`,
  );

const ICMP = 1;
const ICMP_FOR_IPV6 = 58;
const IPV4_KEY_LENGTH = 'C0.A8.01.0A'.length;

/**
 * Corrects the protocol number of ICMP. Some formats call both protocols ICMP; between IPv6
 * addresses it is the one for IPv6.
 */
export const icmpOf = (protocol: number, address: KeyText): number =>
  protocol === ICMP && address.length > IPV4_KEY_LENGTH ? ICMP_FOR_IPV6 : protocol;
