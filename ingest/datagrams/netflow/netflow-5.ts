import { hasPorts } from '../../flows/flow.ts';
import { multiplyWhole } from '../../whole.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { Datagram, DatagramNumber, DecodedDatagram } from '../datagram.ts';
import { GatheredFlows } from '../gathered-flows.ts';

/**
 * NetFlow 5: a header of 24 bytes, and up to 30 records of 48. Cisco's "NetFlow Export Datagram
 * Format" describes both in its tables B-3 and B-4.
 */
const HEADER_BYTES = 24;
const RECORD_BYTES = 48;
const MAX_RECORDS = 30;

export function decodeNetflow5(datagram: Datagram, addresses: AddressKeys): DecodedDatagram {
  const { bytes, receivedMs } = datagram;
  const gathered = new GatheredFlows(receivedMs);
  if (bytes.length < HEADER_BYTES) {
    gathered.refuse('truncated');
    return gathered.answer(null);
  }
  const count = bytes.readUInt16BE(2);
  const fault = lengthFault(bytes.length, count);
  if (fault !== null) {
    gathered.refuse(fault);
    return gathered.answer({ ...numberOf(bytes, count), isRefused: true });
  }
  readRecords(bytes, gathered, addresses);
  return gathered.answer(numberOf(bytes, count));
}

/** Returns what is wrong with the length of a datagram that says so many records; null: nothing. */
function lengthFault(sizeBytes: number, count: number): 'truncated' | 'badLength' | null {
  const expected = HEADER_BYTES + count * RECORD_BYTES;
  if (count > MAX_RECORDS || count === 0) return 'badLength';
  if (sizeBytes < expected) return 'truncated';
  return sizeBytes > expected ? 'badLength' : null;
}

const numberOf = (bytes: Buffer, count: number): DatagramNumber => ({
  protocol: 'netflow5',
  // The engine, by its type and its slot.
  domain: `${bytes[20]}/${bytes[21]}`,
  number: bytes.readUInt32BE(16),
  units: count,
  uptimeMs: bytes.readUInt32BE(4),
  sentMs: bytes.readUInt32BE(8) * 1000 + Math.floor(bytes.readUInt32BE(12) / 1e6),
});

/** Reads the records of a datagram of the right length. */
function readRecords(bytes: Buffer, gathered: GatheredFlows, addresses: AddressKeys): void {
  const uptimeMs = bytes.readUInt32BE(4);
  const sentUs = bytes.readUInt32BE(8) * 1e6 + Math.floor(bytes.readUInt32BE(12) / 1000);
  // The two highest bits say how packets are chosen. Exporters set the interval without them, too.
  const rate = bytes.readUInt16BE(22) & 0x3fff || 1;
  for (let at = HEADER_BYTES; at < bytes.length; at += RECORD_BYTES) {
    const protocol = bytes.readUInt8(at + 38);
    const startUs = sentUs + distanceMs(uptimeMs, bytes.readUInt32BE(at + 24)) * 1000;
    const endUs = sentUs + distanceMs(uptimeMs, bytes.readUInt32BE(at + 28)) * 1000;
    const ports = hasPorts(protocol)
      ? { source: bytes.readUInt16BE(at + 32), destination: bytes.readUInt16BE(at + 34) }
      : null;
    const originator = {
      address: addresses.ipv4(bytes, at),
      bytes: multiplyWhole(bytes.readUInt32BE(at + 20), rate),
      packets: multiplyWhole(bytes.readUInt32BE(at + 16), rate),
    };
    const responder = { address: addresses.ipv4(bytes, at + 4), bytes: 0, packets: 0 };
    const durationUs = endUs - startUs;
    const portRule = 'registered';
    gathered.add({ startUs, durationUs, protocol, ports, portRule, originator, responder }, rate);
  }
}

/**
 * Returns the milliseconds from one uptime to another; uptimes wrap at 2^32. Takes the shorter way
 * round, because a flow may even have ended just after the header's uptime was read.
 */
const distanceMs = (from: number, to: number): number => (to - from) | 0;
