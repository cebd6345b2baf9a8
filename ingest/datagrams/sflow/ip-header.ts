import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type FlowPorts, hasPorts, UNKNOWN_PROTOCOL } from '../../flows/flow.ts';
import type { AddressKeys } from '../address-keys.ts';

/** A datagram, and what reads the addresses in it. */
export type IpSource = { readonly bytes: Buffer; readonly addresses: AddressKeys };

/** What a flow needs of a packet's headers. */
export type IpHeader = {
  readonly source: KeyText;
  readonly destination: KeyText;
  /** UNKNOWN_PROTOCOL if the sample ends before it. */
  readonly protocol: number;
  /** Null if the protocol has none. */
  readonly ports: FlowPorts | null;
};

/**
 * The ports of a packet that does not have them: of a fragment other than the first, or because the
 * sample ends before them. goflow2, sfcapd and routers report 0, too.
 */
export const NO_PORTS: FlowPorts = { source: 0, destination: 0 };

/**
 * Reads the IP header at `at`, and the ports behind it, as far as they are there. A header without
 * both addresses is `truncated`: exporters may be set to send less. A tunnel is a flow between its
 * ends: what is inside it is not read.
 */
export function readIpHeader(
  from: IpSource,
  at: number,
  end: number,
): IpHeader | 'notIp' | 'truncated' {
  if (at >= end) return 'truncated';
  switch (from.bytes.readUInt8(at) >> 4) {
    case 4:
      return readIpv4(from, at, end);
    case 6:
      return readIpv6(from, at, end);
    default:
      return 'notIp';
  }
}

const IPV4_BYTES = 20;

/** RFC 791, section 3.1. */
function readIpv4(
  { bytes, addresses }: IpSource,
  at: number,
  end: number,
): IpHeader | 'notIp' | 'truncated' {
  const headerBytes = (bytes.readUInt8(at) & 0x0f) * 4;
  if (headerBytes < IPV4_BYTES) return 'notIp';
  if (at + IPV4_BYTES > end) return 'truncated';
  const isFirst = (bytes.readUInt16BE(at + 6) & 0x1fff) === 0;
  const protocol = bytes.readUInt8(at + 9);
  return {
    source: addresses.ipv4(bytes, at + 12),
    destination: addresses.ipv4(bytes, at + 16),
    protocol,
    ports: readPorts(bytes, { protocol, portsAt: isFirst ? at + headerBytes : end }, end),
  };
}

const IPV6_BYTES = 40;

/** RFC 8200, section 3. */
function readIpv6({ bytes, addresses }: IpSource, at: number, end: number): IpHeader | 'truncated' {
  if (at + IPV6_BYTES > end) return 'truncated';
  const transport = findTransport(bytes, at, end);
  return {
    source: addresses.ipv6(bytes, at + 8),
    destination: addresses.ipv6(bytes, at + 24),
    protocol: transport.protocol,
    ports: readPorts(bytes, transport, end),
  };
}

/** A transport protocol, and where its ports would be: at or behind the end if nowhere. */
type TransportPlace = { readonly protocol: number; readonly portsAt: number };

const FRAGMENT = 44;
const AUTHENTICATION = 51;

/**
 * Extension headers (RFC 7045, section 2) that say which header is next: hop-by-hop options,
 * routing, fragment, authentication, destination options, mobility, HIP, Shim6.
 */
const EXTENSIONS: ReadonlySet<number> = new Set([
  0,
  43,
  FRAGMENT,
  AUTHENTICATION,
  60,
  135,
  139,
  140,
]);

/** The next header, the length, and of a fragment its offset: all that is read of an extension. */
const EXTENSION_START_BYTES = 4;

/** Skips the extension headers (RFC 8200, section 4). */
function findTransport(bytes: Buffer, ipAt: number, end: number): TransportPlace {
  let protocol = bytes.readUInt8(ipAt + 6);
  let at = ipAt + IPV6_BYTES;
  while (EXTENSIONS.has(protocol)) {
    if (at + EXTENSION_START_BYTES > end) return { protocol: UNKNOWN_PROTOCOL, portsAt: end };
    const next = bytes.readUInt8(at);
    if (protocol === FRAGMENT && bytes.readUInt16BE(at + 2) >> 3 !== 0) {
      return { protocol: EXTENSIONS.has(next) ? UNKNOWN_PROTOCOL : next, portsAt: end };
    }
    at += extensionBytes(protocol, bytes.readUInt8(at + 1));
    protocol = next;
  }
  return { protocol, portsAt: at };
}

function extensionBytes(extension: number, length: number): number {
  if (extension === FRAGMENT) return 8;
  // RFC 4302, section 2.2: in words of four bytes, minus two. Others do not count their first 8.
  return extension === AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
}

/** TCP, UDP and SCTP begin with the ports: the source's and the destination's. */
const PORTS_BYTES = 4;

function readPorts(
  bytes: Buffer,
  { protocol, portsAt }: TransportPlace,
  end: number,
): FlowPorts | null {
  if (!hasPorts(protocol)) return null;
  if (portsAt + PORTS_BYTES > end) return NO_PORTS;
  return { source: bytes.readUInt16BE(portsAt), destination: bytes.readUInt16BE(portsAt + 2) };
}
