import type { Opaque } from './xdr.ts';

/** Where the IP header begins; or the frame has none, or it was cut off before that is clear. */
type IpPlace = number | 'notIp' | 'truncated';

/**
 * Finds IP in the first bytes of a packet. `headerProtocol` says with what they begin
 * (sflow_version_5.txt, `header_protocol`): Ethernet, IPv4, IPv6 or MPLS. Others, such as token
 * ring or Wi-Fi, are not read, and count as frames that are not IP.
 */
export function findIp(headerProtocol: number, bytes: Buffer, { start, end }: Opaque): IpPlace {
  switch (headerProtocol) {
    case 1:
      return findInEthernet(bytes, start, end);
    case 11:
    case 12:
      return start;
    case 13:
      return findBelowLabels(bytes, start, end);
    default:
      return 'notIp';
  }
}

const MAC_BYTES = 6;
const ETHER_TYPE_BYTES = 2;

/** Kinds of Ethernet types, by number. A number up to 1,500 is the length of an LLC frame. */
const ETHER_TYPES: ReadonlyMap<number, 'ip' | 'vlan' | 'mpls' | 'pppoe'> = new Map([
  [0x0800, 'ip'],
  [0x86dd, 'ip'],
  // IEEE 802.1Q and 802.1ad, and what stood for the latter before it was a standard.
  [0x8100, 'vlan'],
  [0x88a8, 'vlan'],
  [0x9100, 'vlan'],
  [0x9200, 'vlan'],
  [0x9300, 'vlan'],
  // RFC 5332: the second is no longer only for multicast.
  [0x8847, 'mpls'],
  [0x8848, 'mpls'],
  // RFC 2516: sessions. Their discovery has another type.
  [0x8864, 'pppoe'],
]);

function findInEthernet(bytes: Buffer, start: number, end: number): IpPlace {
  let typeAt = start + 2 * MAC_BYTES;
  for (;;) {
    const at = typeAt + ETHER_TYPE_BYTES;
    if (at > end) return 'truncated';
    switch (ETHER_TYPES.get(bytes.readUInt16BE(typeAt))) {
      case 'ip':
        return at;
      case 'vlan':
        typeAt = at + VLAN_TAG_BYTES;
        break;
      case 'mpls':
        return findBelowLabels(bytes, at, end);
      case 'pppoe':
        return findInPppoe(bytes, at, end);
      default:
        return 'notIp';
    }
  }
}

/** Priority and number of a VLAN; another Ethernet type follows. */
const VLAN_TAG_BYTES = 2;

const LABEL_BYTES = 4;

/**
 * Finds what is below the last label of an MPLS stack (RFC 3032, section 2.1). Nothing says whether
 * that is IP, but its version does: anything else begins with a smaller number (RFC 4928).
 */
function findBelowLabels(bytes: Buffer, start: number, end: number): IpPlace {
  let at = start;
  let isBottom = false;
  while (!isBottom) {
    if (at + LABEL_BYTES > end) return 'truncated';
    isBottom = (bytes.readUInt8(at + 2) & 1) === 1;
    at += LABEL_BYTES;
  }
  return at;
}

/** Version, code, session and length (RFC 2516, section 4), then PPP's number of a protocol. */
const PPPOE_BYTES = 6;
const PPP_PROTOCOL_BYTES = 2;
const PPP_IPV4 = 0x0021;
const PPP_IPV6 = 0x0057;

function findInPppoe(bytes: Buffer, start: number, end: number): IpPlace {
  const protocolAt = start + PPPOE_BYTES;
  const at = protocolAt + PPP_PROTOCOL_BYTES;
  if (at > end) return 'truncated';
  const protocol = bytes.readUInt16BE(protocolAt);
  return protocol === PPP_IPV4 || protocol === PPP_IPV6 ? at : 'notIp';
}
