import type { DatagramRefusal } from '../../../domain/exporters.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { Datagram, DatagramNumber, DecodedDatagram, ExpiredData } from '../datagram.ts';
import { GatheredFlows } from '../gathered-flows.ts';
import { decodeSets, faultOfSets } from './decode-sets.ts';
import { ExporterMemory } from './exporter-memory.ts';
import { WaitingData } from './waiting-data.ts';

/** Decodes NetFlow 9 and IPFIX, whose data have the form of templates, sent now and then. */
export type TemplateDecoder = {
  readonly decodeNetflow9: (datagram: Datagram) => DecodedDatagram;
  readonly decodeIpfix: (datagram: Datagram) => DecodedDatagram;
  readonly expire: (nowMs: number) => readonly ExpiredData[];
  readonly waitingOf: (address: string) => number;
};

export function createTemplateDecoder(addresses: AddressKeys): TemplateDecoder {
  const waiting = new WaitingData();
  const memory = new ExporterMemory((address, domain) => waiting.forget(address, domain));

  const decode = (datagram: Datagram, header: MessageHeader | DatagramRefusal): DecodedDatagram => {
    const { address, port, receivedMs } = datagram;
    const gathered = new GatheredFlows(receivedMs);
    if (typeof header === 'string') {
      gathered.refuse(header);
      return gathered.answer(null);
    }
    const { isIpfix, sentMs, uptimeMs, from, to, hasMore } = header;
    const sets = { datagram, isIpfix, from, to };
    const fault = hasMore ? 'badLength' : faultOfSets(sets);
    if (fault !== null) {
      gathered.refuse(fault);
      return gathered.answer({ ...numberOf(header, null), isRefused: true });
    }
    const name = { address, port, number: header.domain, isIpfix };
    const domain = memory.domainOf(name, receivedMs);
    if (uptimeMs !== null) domain.noteUptime(uptimeMs, sentMs);
    const message = { ...sets, time: { sentUs: sentMs * 1000, uptimeMs }, domain };
    const records = decodeSets(message, { addresses, waiting, gathered });
    memory.settle(name, domain);
    return gathered.answer(numberOf(header, records));
  };

  return {
    decodeNetflow9: (datagram) => decode(datagram, netflow9Header(datagram.bytes)),
    decodeIpfix: (datagram) => decode(datagram, ipfixHeader(datagram.bytes)),
    expire(nowMs) {
      memory.expire(nowMs);
      return waiting.expire(nowMs);
    },
    waitingOf: (address) => waiting.countOf(address),
  };
}

/** What both protocols have in their headers. */
type MessageHeader = {
  readonly isIpfix: boolean;
  readonly sequence: number;
  readonly domain: number;
  readonly sentMs: number;
  readonly uptimeMs: number | null;
  /** Where the sets begin, and where they end by what the header says. */
  readonly from: number;
  readonly to: number;
  /** Whether the datagram has bytes beyond. */
  readonly hasMore: boolean;
};

/** NetFlow 9 counts datagrams (RFC 3954, section 5.1), IPFIX data records (RFC 7011, 3.1). */
function numberOf(header: MessageHeader, records: number | null): DatagramNumber {
  const { isIpfix, sequence, domain, uptimeMs, sentMs } = header;
  return {
    protocol: isIpfix ? 'ipfix' : 'netflow9',
    domain: String(domain),
    number: sequence,
    units: isIpfix ? records : 1,
    uptimeMs,
    sentMs,
  };
}

const NETFLOW_9_HEADER_BYTES = 20;

/**
 * Reads the header of NetFlow 9 (RFC 3954, section 5.1). Its number of records is not needed, and
 * not right in the datagrams of some exporters.
 */
function netflow9Header(bytes: Buffer): MessageHeader | DatagramRefusal {
  if (bytes.length < NETFLOW_9_HEADER_BYTES) return 'truncated';
  return {
    isIpfix: false,
    sequence: bytes.readUInt32BE(12),
    domain: bytes.readUInt32BE(16),
    sentMs: bytes.readUInt32BE(8) * 1000,
    uptimeMs: bytes.readUInt32BE(4),
    from: NETFLOW_9_HEADER_BYTES,
    to: bytes.length,
    hasMore: false,
  };
}

const IPFIX_HEADER_BYTES = 16;

/** Reads the header of IPFIX (RFC 7011, section 3.1). */
function ipfixHeader(bytes: Buffer): MessageHeader | DatagramRefusal {
  if (bytes.length < IPFIX_HEADER_BYTES) return 'truncated';
  const length = bytes.readUInt16BE(2);
  if (length < IPFIX_HEADER_BYTES) return 'badLength';
  return {
    isIpfix: true,
    sequence: bytes.readUInt32BE(8),
    domain: bytes.readUInt32BE(12),
    sentMs: bytes.readUInt32BE(4) * 1000,
    uptimeMs: null,
    from: IPFIX_HEADER_BYTES,
    to: length,
    hasMore: bytes.length > length,
  };
}
