/**
 * The fields that are read of records of NetFlow 9 and IPFIX. Both number them alike: RFC 3954,
 * section 8, became a part of IANA's registry of IPFIX information elements (RFC 7012), which says
 * what each means. Fields of Cisco's firewalls are in the implementation note for NSEL.
 */
type Element = {
  readonly id: number;
  /** The most bytes that its number may have; fewer may be sent (RFC 7011, section 6.2). */
  readonly bytes: number;
  /** Whether it has exactly these bytes: an address, or a time in the format of NTP. */
  readonly isExact?: true;
  /** Another number of bytes that it may have. */
  readonly otherBytes?: number;
  /** The enterprise whose number it is, if it is not IANA's. */
  readonly enterprise?: number;
};

/** Enterprise number of the elements of the way back: they have the id of the way there. */
const REVERSE = 29_305;

/** Bytes of a time of pmacct: seconds since 1970, then microseconds, of eight bytes each. */
export const TIME_PAIR_BYTES = 16;

export const ELEMENTS = {
  /** Bytes and packets since the previous record of the flow. */
  octetDeltaCount: { id: 1, bytes: 8 },
  packetDeltaCount: { id: 2, bytes: 8 },
  protocolIdentifier: { id: 4, bytes: 8 },
  sourceTransportPort: { id: 7, bytes: 8 },
  sourceIPv4Address: { id: 8, bytes: 4, isExact: true },
  ingressInterface: { id: 10, bytes: 8 },
  destinationTransportPort: { id: 11, bytes: 8 },
  destinationIPv4Address: { id: 12, bytes: 4, isExact: true },
  egressInterface: { id: 14, bytes: 8 },
  /** By the exporter's uptime, in milliseconds, modulo 2^32. */
  flowEndSysUpTime: { id: 21, bytes: 8 },
  flowStartSysUpTime: { id: 22, bytes: 8 },
  /** What left the exporter of the same packets: not another direction. */
  postOctetDeltaCount: { id: 23, bytes: 8 },
  postPacketDeltaCount: { id: 24, bytes: 8 },
  sourceIPv6Address: { id: 27, bytes: 16, isExact: true },
  destinationIPv6Address: { id: 28, bytes: 16, isExact: true },
  /** One packet in so many was sampled, of the whole exporter (34) or by a sampler (50). */
  samplingInterval: { id: 34, bytes: 8 },
  samplerId: { id: 48, bytes: 8 },
  samplerRandomInterval: { id: 50, bytes: 8 },
  ipVersion: { id: 60, bytes: 8 },
  /** Bytes and packets since the flow began. */
  octetTotalCount: { id: 85, bytes: 8 },
  packetTotalCount: { id: 86, bytes: 8 },
  /** Tells the connections of a firewall apart. */
  flowId: { id: 148, bytes: 8 },
  /** Times since 1970, or as in NTP, since 1900 with a binary fraction (RFC 7011, 6.1.7-10). */
  flowStartSeconds: { id: 150, bytes: 8 },
  flowEndSeconds: { id: 151, bytes: 8 },
  flowStartMilliseconds: { id: 152, bytes: 8 },
  flowEndMilliseconds: { id: 153, bytes: 8 },
  flowStartMicroseconds: { id: 154, bytes: 8, isExact: true, otherBytes: TIME_PAIR_BYTES },
  flowEndMicroseconds: { id: 155, bytes: 8, isExact: true, otherBytes: TIME_PAIR_BYTES },
  flowStartNanoseconds: { id: 156, bytes: 8, isExact: true },
  flowEndNanoseconds: { id: 157, bytes: 8, isExact: true },
  /** Microseconds before the message was sent. */
  flowStartDeltaMicroseconds: { id: 158, bytes: 8 },
  flowEndDeltaMicroseconds: { id: 159, bytes: 8 },
  /** When the exporter's uptime was 0, in milliseconds since 1970. */
  systemInitTimeMilliseconds: { id: 160, bytes: 8 },
  flowDurationMilliseconds: { id: 161, bytes: 8 },
  flowDurationMicroseconds: { id: 162, bytes: 8 },
  udpSourcePort: { id: 180, bytes: 8 },
  udpDestinationPort: { id: 181, bytes: 8 },
  tcpSourcePort: { id: 182, bytes: 8 },
  tcpDestinationPort: { id: 183, bytes: 8 },
  /** What happened to an address that is translated, or to a connection through a firewall. */
  natEvent: { id: 230, bytes: 8 },
  /** Both ways of a connection, told apart by who opened it. */
  initiatorOctets: { id: 231, bytes: 8 },
  responderOctets: { id: 232, bytes: 8 },
  firewallEvent: { id: 233, bytes: 8 },
  /** How it was decided which end is the source of both ways (RFC 5103, section 6.3). */
  biflowDirection: { id: 239, bytes: 8 },
  initiatorPackets: { id: 298, bytes: 8 },
  responderPackets: { id: 299, bytes: 8 },
  /** A sampler, and what it chooses (RFC 5477): so many packets or microseconds, ... */
  selectorId: { id: 302, bytes: 8 },
  samplingPacketInterval: { id: 305, bytes: 8 },
  /** ... then none of so many; */
  samplingPacketSpace: { id: 306, bytes: 8 },
  samplingTimeInterval: { id: 307, bytes: 8 },
  samplingTimeSpace: { id: 308, bytes: 8 },
  /** so many packets of so many; or each with a probability. */
  samplingSize: { id: 309, bytes: 8 },
  samplingPopulation: { id: 310, bytes: 8 },
  samplingProbability: { id: 311, bytes: 8, isExact: true },
  /** When an event happened. */
  observationTimeSeconds: { id: 322, bytes: 8 },
  observationTimeMilliseconds: { id: 323, bytes: 8 },
  observationTimeMicroseconds: { id: 324, bytes: 8, isExact: true },
  observationTimeNanoseconds: { id: 325, bytes: 8, isExact: true },
  /** `firewallEvent` of Cisco's first firewalls with NetFlow 9. */
  oldFirewallEvent: { id: 40_005, bytes: 8 },
  reverseOctetDeltaCount: { id: 1, bytes: 8, enterprise: REVERSE },
  reversePacketDeltaCount: { id: 2, bytes: 8, enterprise: REVERSE },
  reversePostOctetDeltaCount: { id: 23, bytes: 8, enterprise: REVERSE },
  reversePostPacketDeltaCount: { id: 24, bytes: 8, enterprise: REVERSE },
  reverseOctetTotalCount: { id: 85, bytes: 8, enterprise: REVERSE },
  reversePacketTotalCount: { id: 86, bytes: 8, enterprise: REVERSE },
} as const satisfies Readonly<Record<string, Element>>;

export type ElementName = keyof typeof ELEMENTS;

const LIST: readonly (readonly [string, Element])[] = Object.entries(ELEMENTS);

/** How many slots a record has: one for each element, in the order of the table. */
export const SLOTS = LIST.length;

/** No slot: the field is of no interest, or not in the template. */
export const NO_SLOT = -1;

/** The slot of each element. */
export const SLOT = Object.fromEntries(LIST.map(([name], slot) => [name, slot])) as Readonly<
  // Each name of the table is a key of the object that is made of it.
  Record<ElementName, number>
>;

const SLOT_OF = new Map(LIST.map(([, element], slot) => [numberOf(element), slot]));

function numberOf({ id, enterprise = 0 }: Pick<Element, 'id' | 'enterprise'>): number {
  return enterprise * 2 ** 16 + id;
}

/** Returns the slot of an element; `NO_SLOT` if it is of no interest. */
export const slotOf = (id: number, enterprise: number): number =>
  SLOT_OF.get(numberOf({ id, enterprise })) ?? NO_SLOT;

/** Returns whether a value of this length can be read as the element of a slot. */
export function fitsSlot(slot: number, length: number): boolean {
  const element = LIST[slot]?.[1];
  if (element === undefined) return false;
  if (length === element.otherBytes) return true;
  return element.isExact ? length === element.bytes : length >= 1 && length <= element.bytes;
}
