import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type Flow, type FlowPorts, hasPorts, type PortRule } from '../../flows/flow.ts';
import { icmpOf } from '../../formats/fields/flow-fields.ts';
import { multiplyWhole, type Whole } from '../../whole.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { GatheredFlows } from '../gathered-flows.ts';
import { NO_SLOT, SLOT } from './elements.ts';
import { amountIn, type DataRecord, numberIn, offsetOf } from './field-values.ts';
import type { AmountFields, FlowPlan, PortFields } from './flow-plan.ts';
import { readFlowSpan, type SpanReading, type TimeContext } from './flow-times.ts';
import { type Samplers, samplerIn, samplingRateIn } from './samplers.ts';

/** What flows are read with, besides their records. */
export type FlowContext = TimeContext & {
  readonly samplers: Samplers;
  readonly addresses: AddressKeys;
  readonly gathered: GatheredFlows;
  /** When the flow was that is being read: one object, because flows are many. */
  readonly span: SpanReading;
};

/** Takes the flow of a record; skips a record of an event without traffic, and one not of IP. */
export function takeFlow(record: DataRecord, plan: FlowPlan, context: FlowContext): void {
  const { gathered, span } = context;
  const bytes = amountOf(record, plan.bytes);
  const packets = amountOf(record, plan.packets);
  const bytesBack = plan.isTwoWay ? amountOf(record, plan.bytesBack) : 0;
  const packetsBack = plan.isTwoWay ? amountOf(record, plan.packetsBack) : 0;
  readFlowSpan(record, plan.times, context, span);
  const hasTraffic = bytes !== 0 || packets !== 0 || bytesBack !== 0 || packetsBack !== 0;
  if (!hasTraffic && (plan.isOfEvents || !span.hasTime)) {
    gathered.skipEvent();
    return;
  }
  if (plan.family === 'none') {
    gathered.skipNotIp();
    return;
  }
  if (plan.isOfEvents && plan.times.end === null) endUpdate(record, span);
  const rate = plan.saysSampling ? rateOf(record, context.samplers) : context.samplers.common;
  const there = { bytes: sampled(bytes, rate), packets: sampled(packets, rate) };
  const back = plan.isTwoWay
    ? { bytes: sampled(bytesBack, rate), packets: sampled(packetsBack, rate) }
    : NOTHING;
  gathered.add(flowOf(record, plan, context, { there, back }), rate);
}

/** What one way of a flow carried. */
type Carried = { readonly bytes: Whole; readonly packets: Whole };

const TCP = 6;

const NOTHING: Carried = { bytes: 0, packets: 0 };

/** Reads an amount. Some exporters count only what leaves, and have 0 for what enters. */
function amountOf(record: DataRecord, { first, second }: AmountFields): Whole {
  const amount = first === NO_SLOT ? 0 : amountIn(record, first);
  return amount === 0 && second !== NO_SLOT ? amountIn(record, second) : amount;
}

const sampled = (amount: Whole, rate: number | null): Whole =>
  rate === 1 || rate === null ? amount : multiplyWhole(amount, rate);

/** Returns the rate of a record that may say it; null if it names a sampler that is unknown. */
function rateOf(record: DataRecord, samplers: Samplers): number | null {
  const rate = samplingRateIn(record);
  if (rate !== null && rate > 1) return rate;
  const sampler = samplerIn(record);
  if (sampler !== -1) return samplers.of(sampler);
  return rate === 1 ? 1 : samplers.common;
}

/** The value of `firewallEvent` for a connection that goes on. */
const UPDATE = 5;

/**
 * An update of a firewall has what was carried since the last one, but the start of the whole
 * connection. It counts when it was sent: a connection of days would spread over all of them.
 */
function endUpdate(record: DataRecord, span: SpanReading): void {
  if (numberIn(record, SLOT.firewallEvent) !== UPDATE) return;
  span.startUs += span.durationUs;
  span.durationUs = 0;
}

type Ways = { readonly there: Carried; readonly back: Carried };

/** Returns the flow of a record, whose span has been read. */
function flowOf(record: DataRecord, plan: FlowPlan, context: FlowContext, ways: Ways): Flow {
  const { addresses, span } = context;
  const isIpv6 = plan.family === 'ipv6' || (plan.family === 'either' && hasIpv6(record));
  const source = isIpv6
    ? ipv6In(record, SLOT.sourceIPv6Address, addresses)
    : ipv4In(record, SLOT.sourceIPv4Address, addresses);
  const destination = isIpv6
    ? ipv6In(record, SLOT.destinationIPv6Address, addresses)
    : ipv4In(record, SLOT.destinationIPv4Address, addresses);
  const protocol = protocolIn(record, plan, source ?? destination);
  const ports = protocol !== null && hasPorts(protocol) ? portsIn(record, plan, protocol) : null;
  const direction = plan.isTwoWay ? numberIn(record, SLOT.biflowDirection) : -1;
  const isTurned = direction === REVERSE_INITIATOR;
  const { there, back } =
    isTurned && !plan.isByInitiator ? { there: ways.back, back: ways.there } : ways;
  return {
    startUs: span.startUs,
    durationUs: span.durationUs,
    protocol,
    ports: isTurned && ports !== null ? turned(ports) : ports,
    portRule: portRuleOf(plan, direction),
    originator: {
      address: isTurned ? destination : source,
      bytes: there.bytes,
      packets: there.packets,
    },
    responder: {
      address: isTurned ? source : destination,
      bytes: back.bytes,
      packets: back.packets,
    },
  };
}

/** Values of `biflowDirection` by which one of the ends is known to have opened the connection. */
const INITIATOR = 1;
const REVERSE_INITIATOR = 2;

/**
 * Both ways together have the port of the responder, as in other formats, if the exporter says who
 * that is. Most do not say how they choose the source of both ways (RFC 5103, section 5), and the
 * source of softflowd is the end with the lower address.
 */
function portRuleOf({ isTwoWay, isByInitiator }: FlowPlan, direction: number): PortRule {
  if (!isTwoWay) return 'registered';
  const isKnown = direction === INITIATOR || direction === REVERSE_INITIATOR;
  return isKnown || isByInitiator ? 'destination' : 'registered';
}

const turned = ({ source, destination }: FlowPorts): FlowPorts =>
  source === null ? { source, destination } : { source: destination, destination: source };

function protocolIn(record: DataRecord, plan: FlowPlan, address: KeyText | null): number | null {
  const protocol = numberIn(record, SLOT.protocolIdentifier);
  if (protocol === -1) return plan.impliedProtocol;
  return address === null ? protocol & 0xff : icmpOf(protocol & 0xff, address);
}

/**
 * Reads the ports of a flow. If the template has only one, that one counts; if it has none, both
 * are 0, as in other formats.
 */
function portsIn(record: DataRecord, plan: FlowPlan, protocol: number): FlowPorts {
  const source = portIn(record, plan.sourcePort, protocol);
  const destination = portIn(record, plan.destinationPort, protocol);
  if (source === -1)
    return { source: destination === -1 ? 0 : null, destination: Math.max(0, destination) };
  return destination === -1 ? { source: null, destination: source } : { source, destination };
}

function portIn(record: DataRecord, { any, tcp, udp }: PortFields, protocol: number): number {
  const port = numberIn(record, any !== NO_SLOT ? any : protocol === TCP ? tcp : udp);
  return port === -1 ? -1 : port & 0xffff;
}

const ipv4In = (record: DataRecord, slot: number, addresses: AddressKeys): KeyText | null => {
  const offset = offsetOf(record, slot);
  return offset === -1 ? null : addresses.ipv4(record.bytes, record.at + offset);
};

const ipv6In = (record: DataRecord, slot: number, addresses: AddressKeys): KeyText | null => {
  const offset = offsetOf(record, slot);
  return offset === -1 ? null : addresses.ipv6(record.bytes, record.at + offset);
};

/**
 * Returns whether a record that has room for addresses of both families is of IPv6. The other
 * addresses are then 0, and the exporter may say the version.
 */
function hasIpv6(record: DataRecord): boolean {
  const version = numberIn(record, SLOT.ipVersion);
  if (version === 4 || version === 6) return version === 6;
  return (
    isZero(record, SLOT.sourceIPv4Address, 4) &&
    isZero(record, SLOT.destinationIPv4Address, 4) &&
    !(isZero(record, SLOT.sourceIPv6Address, 16) && isZero(record, SLOT.destinationIPv6Address, 16))
  );
}

function isZero(record: DataRecord, slot: number, length: number): boolean {
  const offset = offsetOf(record, slot);
  if (offset === -1) return true;
  const from = record.at + offset;
  for (let at = from; at < from + length; at += 1) if (record.bytes[at] !== 0) return false;
  return true;
}
