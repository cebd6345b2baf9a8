import type { KeyText } from '../../../domain/keys/key-text.ts';
import { type Flow, type FlowPorts, hasPorts, type PortRule } from '../../flows/flow.ts';
import { icmpOf } from '../../formats/fields/flow-fields.ts';
import { multiplyWhole, type Whole } from '../../whole.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { GatheredFlows } from '../gathered-flows.ts';
import { NO_SLOT, SLOT } from './elements.ts';
import { amountIn, type DataRecord, numberIn, offsetOf } from './field-values.ts';
import type { ConnectionAmounts, FirewallConnections } from './firewall-connections.ts';
import type { AmountFields, FlowPlan, PortFields } from './flow-plan.ts';
import { readFlowSpan, type SpanReading, type TimeContext } from './flow-times.ts';
import { type Samplers, samplerIn, samplingRateIn } from './samplers.ts';

/** What flows are read with, besides their records. */
export type FlowContext = TimeContext & {
  readonly samplers: Samplers;
  readonly connections: FirewallConnections;
  readonly addresses: AddressKeys;
  readonly gathered: GatheredFlows;
  /** When the flow was that is being read: one object, because flows are many. */
  readonly span: SpanReading;
};

/** Takes the flow of a record; skips a record of an event without traffic, and one not of IP. */
export function takeFlow(record: DataRecord, plan: FlowPlan, context: FlowContext): void {
  const { gathered, span, connections } = context;
  const given = amountsIn(record, plan);
  readFlowSpan(record, plan.times, context, span);
  const amounts = plan.isOfConnections ? connections.take(record, given, span) : given;
  const isEvent = plan.isOfEvents || !plan.hasAmounts || !span.hasTime;
  if (isEvent && !isTraffic(amounts)) {
    gathered.skipEvent();
  } else if (plan.family === 'none') {
    gathered.skipNotIp();
  } else {
    const rate = samplingRateOf(record, plan, context.samplers);
    gathered.add(flowOf(record, plan, context, { amounts, rate: rate ?? 1 }), rate);
  }
}

function amountsIn(record: DataRecord, plan: FlowPlan): ConnectionAmounts {
  return {
    bytes: amountOf(record, plan.bytes),
    packets: amountOf(record, plan.packets),
    bytesBack: plan.isTwoWay ? amountOf(record, plan.bytesBack) : 0,
    packetsBack: plan.isTwoWay ? amountOf(record, plan.packetsBack) : 0,
  };
}

const isTraffic = ({ bytes, packets, bytesBack, packetsBack }: ConnectionAmounts): boolean =>
  bytes !== 0 || packets !== 0 || bytesBack !== 0 || packetsBack !== 0;

const TCP = 6;

/** Reads an amount. Some exporters count only what leaves, and have 0 for what enters. */
function amountOf(record: DataRecord, { first, second }: AmountFields): Whole {
  const amount = first === NO_SLOT ? 0 : amountIn(record, first);
  return amount === 0 && second !== NO_SLOT ? amountIn(record, second) : amount;
}

const sampled = (amount: Whole, rate: number): Whole =>
  rate === 1 ? amount : multiplyWhole(amount, rate);

const samplingRateOf = (record: DataRecord, plan: FlowPlan, samplers: Samplers): number | null =>
  plan.saysSampling ? rateOf(record, samplers) : samplers.ofInterfaces(record);

/** Returns the rate of a record that may say it; null if it names a sampler that is unknown. */
function rateOf(record: DataRecord, samplers: Samplers): number | null {
  const rate = samplingRateIn(record);
  if (rate !== null && rate > 1) return rate;
  const sampler = samplerIn(record);
  if (sampler !== -1) return samplers.of(sampler);
  return rate === 1 ? 1 : samplers.ofInterfaces(record);
}

type Traffic = { readonly amounts: ConnectionAmounts; readonly rate: number };

/** Returns the flow of a record, whose span has been read. */
function flowOf(
  record: DataRecord,
  plan: FlowPlan,
  { addresses, span }: FlowContext,
  { amounts, rate }: Traffic,
): Flow {
  const { source, destination } = addressesIn(record, plan, addresses);
  const protocol = protocolIn(record, plan, source ?? destination);
  const ports = protocol !== null && hasPorts(protocol) ? portsIn(record, plan, protocol) : null;
  const there = { bytes: sampled(amounts.bytes, rate), packets: sampled(amounts.packets, rate) };
  const back = {
    bytes: sampled(amounts.bytesBack, rate),
    packets: sampled(amounts.packetsBack, rate),
  };
  const direction = plan.isTwoWay ? numberIn(record, SLOT.biflowDirection) : -1;
  const isTurned = direction === REVERSE_INITIATOR;
  const isBackFirst = isTurned && !plan.isByInitiator;
  const first = isBackFirst ? back : there;
  const second = isBackFirst ? there : back;
  return {
    startUs: span.startUs,
    durationUs: span.durationUs,
    protocol,
    ports: isTurned && ports !== null ? turned(ports) : ports,
    portRule: portRuleOf(plan, direction),
    originator: {
      address: isTurned ? destination : source,
      bytes: first.bytes,
      packets: first.packets,
    },
    responder: {
      address: isTurned ? source : destination,
      bytes: second.bytes,
      packets: second.packets,
    },
  };
}

type Ends = { readonly source: KeyText | null; readonly destination: KeyText | null };

function addressesIn(record: DataRecord, { family }: FlowPlan, addresses: AddressKeys): Ends {
  return family === 'ipv6' || (family === 'either' && hasIpv6(record))
    ? {
        source: ipv6In(record, SLOT.sourceIPv6Address, addresses),
        destination: ipv6In(record, SLOT.destinationIPv6Address, addresses),
      }
    : {
        source: ipv4In(record, SLOT.sourceIPv4Address, addresses),
        destination: ipv4In(record, SLOT.destinationIPv4Address, addresses),
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
