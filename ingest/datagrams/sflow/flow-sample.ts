import type { DatagramRefusal } from '../../../domain/exporters.ts';
import { type FlowPorts, hasPorts, UNKNOWN_PROTOCOL } from '../../flows/flow.ts';
import { findIp } from './frame.ts';
import { type IpHeader, type IpSource, NO_PORTS, readIpHeader } from './ip-header.ts';
import { type Opaque, readOpaque, WORD } from './xdr.ts';

/** A packet of which the exporter sent a sample. */
export type SampledPacket = {
  /** One of so many packets was sampled. 0: the exporter does not know. */
  readonly samplingRate: number;
  /** Its length on the wire, as far as the record that describes it says. */
  readonly frameBytes: number;
  readonly header: IpHeader;
};

/** Why there is no packet. */
type NoPacket = DatagramRefusal | 'notIp';

/** Fields in words from the start of the sample. */
type Layout = { readonly samplingRateAt: number; readonly recordsAt: number };

/**
 * Formats of samples that hold a packet. Their enterprise, the upper 20 bits of the format, is 0.
 * All other formats are skipped: counters, packets that were dropped, what vendors define.
 */
const FLOW_SAMPLES: ReadonlyMap<number, Layout> = new Map([
  // Sequence number, source, rate, pool, drops, input, output.
  [1, { samplingRateAt: 2, recordsAt: 7 }],
  // The expanded form has two words each for source, input and output.
  [3, { samplingRateAt: 3, recordsAt: 10 }],
]);

/**
 * Reads a sample of a format; null if it is not one of a packet. Lengths within it that exceed it
 * refuse it as a whole.
 */
export function readFlowSample(
  format: number,
  from: IpSource,
  { start, end }: Opaque,
): SampledPacket | NoPacket | null {
  const { bytes } = from;
  const layout = FLOW_SAMPLES.get(format);
  if (layout === undefined) return null;
  const recordsAt = start + layout.recordsAt * WORD;
  if (recordsAt + WORD > end) return 'badLength';
  const records = readRecords(bytes, recordsAt, end);
  if (records === null) return 'badLength';
  const packet = packetIn(from, records);
  if (typeof packet === 'string') return packet;
  const { frameBytes, header } = packet;
  const samplingRate = bytes.readUInt32BE(start + layout.samplingRateAt * WORD);
  return { samplingRate, frameBytes, header };
}

/** The records that describe a packet, by their format, again of enterprise 0. */
type PacketRecords = { raw: Opaque | null; ipv4: Opaque | null; ipv6: Opaque | null };

/** Returns null if a record exceeds the sample. */
function readRecords(bytes: Buffer, at: number, end: number): PacketRecords | null {
  const records: PacketRecords = { raw: null, ipv4: null, ipv6: null };
  const count = bytes.readUInt32BE(at);
  let recordAt = at + WORD;
  // The count is only a bound: each record takes some bytes.
  for (let i = 0; i < count; i += 1) {
    const data = readOpaque(bytes, recordAt + WORD, end);
    if (data === null) return null;
    switch (bytes.readUInt32BE(recordAt)) {
      case 1:
        records.raw = data;
        break;
      case 3:
        records.ipv4 = data;
        break;
      case 4:
        records.ipv6 = data;
        break;
      default:
      // What a switch, router or vendor adds, or only the addresses of Ethernet (2).
    }
    recordAt = data.next;
  }
  return records;
}

type Packet = Omit<SampledPacket, 'samplingRate'>;

/**
 * Returns what the records say about the packet. Exporters send its first bytes; those that do not
 * have them, or not enough of them, send the fields of its IP header.
 */
function packetIn(from: IpSource, { raw, ipv4, ipv6 }: PacketRecords): Packet | NoPacket {
  const sampled = raw === null ? 'notIp' : readRawHeader(from, raw);
  if (sampled !== 'notIp' && sampled !== 'truncated') return sampled;
  if (ipv4 !== null) return readIpFields(from, ipv4, 4);
  return ipv6 === null ? sampled : readIpFields(from, ipv6, 16);
}

/** Reads a `sampled_header`: header protocol, frame length, stripped bytes, first bytes. */
function readRawHeader(from: IpSource, { start, end }: Opaque): Packet | NoPacket {
  const { bytes } = from;
  const first = readOpaque(bytes, start + 3 * WORD, end);
  if (first === null) return 'badLength';
  const ipAt = findIp(bytes.readUInt32BE(start), bytes, first);
  if (typeof ipAt === 'string') return ipAt;
  const header = readIpHeader(from, ipAt, first.end);
  if (typeof header === 'string') return header;
  return { frameBytes: bytes.readUInt32BE(start + WORD), header };
}

/**
 * Reads a `sampled_ipv4` or `sampled_ipv6`: length, protocol, source, destination, both ports, TCP
 * flags, type of service. Its length is that of the IP packet, since nothing says the frame's.
 */
function readIpFields(
  { bytes, addresses }: IpSource,
  { start, end }: Opaque,
  addressBytes: 4 | 16,
): Packet | NoPacket {
  const sourceAt = start + 2 * WORD;
  const destinationAt = sourceAt + addressBytes;
  const portsAt = destinationAt + addressBytes;
  if (portsAt + 4 * WORD > end) return 'badLength';
  const addressOf = addressBytes === 4 ? addresses.ipv4 : addresses.ipv6;
  const protocol = bytes.readUInt32BE(start + WORD);
  return {
    frameBytes: bytes.readUInt32BE(start),
    header: {
      source: addressOf(bytes, sourceAt),
      destination: addressOf(bytes, destinationAt),
      protocol: protocol < UNKNOWN_PROTOCOL ? protocol : UNKNOWN_PROTOCOL,
      ports: hasPorts(protocol) ? readPortWords(bytes, portsAt) : null,
    },
  };
}

const LARGEST_PORT = 65_535;

function readPortWords(bytes: Buffer, at: number): FlowPorts {
  const source = bytes.readUInt32BE(at);
  const destination = bytes.readUInt32BE(at + WORD);
  const arePorts = source <= LARGEST_PORT && destination <= LARGEST_PORT;
  return arePorts ? { source, destination } : NO_PORTS;
}
