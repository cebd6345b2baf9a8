import type { Flow } from '../../flows/flow.ts';
import type { ColumnRole, NfdumpRow } from './nfdump-rows.ts';

/** A flow, and the row that it is from. */
export type NfdumpFlow = { readonly flow: Flow; readonly row: NfdumpRow };

/** What is known about the flows of an output once another line is read. */
type Settled = {
  /** Flows that count, in order. */
  readonly flows: readonly Flow[];
  /** Whether a tunnel's line was found, which does not count. */
  readonly hasTunnelLine: boolean;
};

/**
 * Returns a filter of the lines of an output, in order; null is a line without a flow, or the end.
 *
 * For a flow in a tunnel, nfdump prints a line with the addresses and the protocol of the tunnel,
 * and another with those of the flow. They are one record, and one flow in nfdump's sums. A line
 * that may be a tunnel's has to wait for the next line, which may be its flow.
 */
export function createTunnelFilter(): (line: NfdumpFlow | null) => Settled {
  let before: NfdumpFlow | null = null;
  let isWaiting = false;
  return (line) => {
    const waiting = isWaiting ? before : null;
    const isAfterTunnel = line !== null && waiting !== null && isTunnelOf(waiting, line);
    const isTunnel = !isAfterTunnel && line !== null && before !== null && isTunnelOf(line, before);
    // Two flows that are alike may each have a line of a tunnel.
    before = isTunnel ? null : line;
    isWaiting = !isAfterTunnel && before !== null && mayBeTunnel(before);
    const flows: Flow[] = [];
    if (waiting !== null && !isAfterTunnel) flows.push(waiting.flow);
    if (before !== null && !isWaiting) flows.push(before.flow);
    return { flows, hasTunnelLine: isAfterTunnel || isTunnel };
  };
}

const IPIP = 4;
const IPV6_IN_IPV4 = 41;
const GRE = 47;

const mayBeTunnel = (line: NfdumpFlow): boolean => isOfTunnel(line) || isZero(line);

const isOfTunnel = ({ flow: { protocol } }: NfdumpFlow): boolean =>
  protocol === IPIP || protocol === IPV6_IN_IPV4 || protocol === GRE;

/**
 * Returns whether a line is that of the tunnel of the flow on the other line. Since 1.7.5 it
 * repeats the flow's times, ports and amounts; before, only its times, and everything else is 0.
 */
function isTunnelOf(tunnel: NfdumpFlow, other: NfdumpFlow): boolean {
  const { flow } = other;
  if (tunnel.flow.startUs !== flow.startUs || tunnel.flow.durationUs !== flow.durationUs) {
    return false;
  }
  if (isZero(tunnel)) return true;
  return (
    isOfTunnel(tunnel) &&
    // Otherwise these are two flows of routers, such as keepalives, which may well be alike.
    tunnel.flow.protocol !== flow.protocol &&
    tunnel.flow.originator.bytes === flow.originator.bytes &&
    tunnel.flow.originator.packets === flow.originator.packets &&
    hasNoAnswer(tunnel) &&
    portText(tunnel.row, 'sourcePort') === portText(other.row, 'sourcePort') &&
    portText(tunnel.row, 'port') === portText(other.row, 'port')
  );
}

const hasNoAnswer = ({ flow: { responder } }: NfdumpFlow): boolean =>
  responder.bytes === 0 && responder.packets === 0;

const ZERO_ADDRESSES: readonly unknown[] = ['0.0.0.0', '::'];

/** Returns whether a line has nothing but times and a protocol. */
const isZero = (line: NfdumpFlow): boolean =>
  line.flow.originator.bytes === 0 &&
  line.flow.originator.packets === 0 &&
  hasNoAnswer(line) &&
  portText(line.row, 'sourcePort') === '0' &&
  portText(line.row, 'port') === '0' &&
  ZERO_ADDRESSES.includes(line.row.text(line.row.column('source'))) &&
  ZERO_ADDRESSES.includes(line.row.text(line.row.column('destination')));

/** Returns a port as a number: nfdump prints type and code of ICMP, `8.0` for 2048. */
function portText(row: NfdumpRow, role: ColumnRole): string {
  const text = row.text(row.column(role)) ?? '0';
  const [, type, code] = /^(\d+)\.(\d+)$/.exec(text) ?? [];
  return type === undefined ? text : String(Number(type) * 256 + Number(code));
}
