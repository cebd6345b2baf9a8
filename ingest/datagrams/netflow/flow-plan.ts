import { type ElementName, fitsSlot, NO_SLOT, SLOT } from './elements.ts';
import { type TimeFields, timeFieldsOf } from './flow-times.ts';
import { type RecordForm, recordForm, type TemplateField, VARIABLE_LENGTH } from './record-form.ts';

/** The slots of an amount: the second counts if a record has nothing in the first. */
export type AmountFields = { readonly first: number; readonly second: number };

/** The slots of a port: one for all protocols, or one for each. */
export type PortFields = { readonly any: number; readonly tcp: number; readonly udp: number };

/** How to read the flows of a template: what is the same for all of them. */
export type FlowPlan = {
  readonly form: RecordForm;
  /** Whose addresses flows have; `either` if the template has fields for both families. */
  readonly family: 'none' | 'ipv4' | 'ipv6' | 'either';
  readonly sourcePort: PortFields;
  readonly destinationPort: PortFields;
  /** The protocol whose ports the template has, if it has no field for the protocol. */
  readonly impliedProtocol: number | null;
  readonly times: TimeFields;
  readonly bytes: AmountFields;
  readonly packets: AmountFields;
  /** Whether records have both ways of a connection; then the amounts of the way back: */
  readonly isTwoWay: boolean;
  readonly bytesBack: AmountFields;
  readonly packetsBack: AmountFields;
  /** Whether the ways are told apart by who opened the connection, not by the source. */
  readonly isByInitiator: boolean;
  /** Whether records report events, of which some have no traffic. */
  readonly isOfEvents: boolean;
  /** Whether these are the updates and the ends of connections through a firewall. */
  readonly isOfConnections: boolean;
  /** Whether records have any amounts: without, they only say what happened. */
  readonly hasAmounts: boolean;
  /** Whether records themselves name their sampler or their sampling rate. */
  readonly saysSampling: boolean;
};

const INITIATOR_AND_RESPONDER = [
  ['initiatorOctets', 'responderOctets'],
  ['initiatorPackets', 'responderPackets'],
] as const;

const AMOUNTS = [
  'octetDeltaCount',
  'packetDeltaCount',
  'octetTotalCount',
  'packetTotalCount',
  'postOctetDeltaCount',
  'postPacketDeltaCount',
] as const;

const BACK = [
  'reverseOctetDeltaCount',
  'reversePacketDeltaCount',
  'reverseOctetTotalCount',
  'reversePacketTotalCount',
  'reversePostOctetDeltaCount',
  'reversePostPacketDeltaCount',
] as const;

const EVENTS = ['natEvent', 'firewallEvent', 'oldFirewallEvent'] as const;

const SAMPLING = [
  'samplerId',
  'selectorId',
  'samplingInterval',
  'samplerRandomInterval',
  'samplingPacketInterval',
  'samplingTimeInterval',
  'samplingPopulation',
  'samplingProbability',
] as const;

/** Returns how to read the flows of a template. */
export function flowPlan(fields: readonly TemplateField[]): FlowPlan {
  const slots = slotsIn(fields);
  const has = (name: ElementName): boolean => slots.has(SLOT[name]);
  const slotOfFirst = (...names: ElementName[]): number => {
    const name = names.find(has);
    return name === undefined ? NO_SLOT : SLOT[name];
  };
  const isByInitiator = INITIATOR_AND_RESPONDER.flat().some(has);
  return {
    form: recordForm(fields),
    family: familyOf(has),
    sourcePort: {
      any: slotOfFirst('sourceTransportPort'),
      tcp: slotOfFirst('tcpSourcePort'),
      udp: slotOfFirst('udpSourcePort'),
    },
    destinationPort: {
      any: slotOfFirst('destinationTransportPort'),
      tcp: slotOfFirst('tcpDestinationPort'),
      udp: slotOfFirst('udpDestinationPort'),
    },
    impliedProtocol: impliedProtocolOf(has),
    times: timeFieldsOf(has),
    bytes: {
      first: slotOfFirst('initiatorOctets', 'octetDeltaCount', 'octetTotalCount'),
      second: slotOfFirst('postOctetDeltaCount'),
    },
    packets: {
      first: slotOfFirst('initiatorPackets', 'packetDeltaCount', 'packetTotalCount'),
      second: slotOfFirst('postPacketDeltaCount'),
    },
    isTwoWay: isByInitiator || BACK.some(has),
    bytesBack: {
      first: slotOfFirst('responderOctets', 'reverseOctetDeltaCount', 'reverseOctetTotalCount'),
      second: slotOfFirst('reversePostOctetDeltaCount'),
    },
    packetsBack: {
      first: slotOfFirst('responderPackets', 'reversePacketDeltaCount', 'reversePacketTotalCount'),
      second: slotOfFirst('reversePostPacketDeltaCount'),
    },
    isByInitiator,
    isOfEvents: EVENTS.some(has),
    isOfConnections: isByInitiator && has('firewallEvent') && has('flowId'),
    hasAmounts: isByInitiator || [...AMOUNTS, ...BACK].some(has),
    saysSampling: SAMPLING.some(has),
  };
}

/**
 * Returns the slots of the fields that can be read. Of what initiator and responder sent, both must
 * be there: some exporters have something else under one of the numbers.
 */
function slotsIn(fields: readonly TemplateField[]): ReadonlySet<number> {
  const slots = new Set(fields.filter(isReadable).map(({ slot }) => slot));
  for (const names of INITIATOR_AND_RESPONDER) {
    if (names.every((name) => slots.has(SLOT[name]))) continue;
    for (const name of names) slots.delete(SLOT[name]);
  }
  return slots;
}

const isReadable = ({ slot, length }: TemplateField): boolean =>
  length === VARIABLE_LENGTH || fitsSlot(slot, length);

function familyOf(has: (name: ElementName) => boolean): FlowPlan['family'] {
  const hasIpv4 = has('sourceIPv4Address') || has('destinationIPv4Address');
  const hasIpv6 = has('sourceIPv6Address') || has('destinationIPv6Address');
  if (hasIpv4) return hasIpv6 ? 'either' : 'ipv4';
  return hasIpv6 ? 'ipv6' : 'none';
}

const TCP = 6;
const UDP = 17;

function impliedProtocolOf(has: (name: ElementName) => boolean): number | null {
  if (has('tcpSourcePort') || has('tcpDestinationPort')) return TCP;
  return has('udpSourcePort') || has('udpDestinationPort') ? UDP : null;
}
