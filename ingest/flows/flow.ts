import type { KeyText } from '../../domain/keys/key-text.ts';
import { servicePort } from '../../domain/keys/service-port.ts';
import type { Whole } from '../whole.ts';

/** One end of a flow and what it sent: bytes and packets, 0 if the log does not say. */
type FlowSide = {
  /** The address as a raw key of kind `ip`; null if an aggregate omits it. */
  readonly address: KeyText | null;
  readonly bytes: Whole;
  readonly packets: Whole;
};

/** The ports of both ends; the source's is null if it is unknown or not needed. */
export type FlowPorts = { readonly source: number | null; readonly destination: number };

/**
 * Which port a flow counts under in Apps. `destination`: the log names the responder, and the
 * responder's port is the service. `registered`: the log reports only one direction, so the
 * registry decides (operations, "Service port").
 */
export type PortRule = 'registered' | 'destination';

/** A connection, flow record or aggregate of any format. Times are whole microseconds. */
export type Flow = {
  readonly startUs: number;
  readonly durationUs: number;
  /** IANA number; 255 if the log does not know it, null if an aggregate omits it. */
  readonly protocol: number | null;
  /** Null for flows without ports: all but TCP, UDP and SCTP. */
  readonly ports: FlowPorts | null;
  readonly portRule: PortRule;
  readonly originator: FlowSide;
  readonly responder: FlowSide;
  /** Number of connections in an aggregate; if omitted, it is one connection. */
  readonly connections?: Whole;
};

/** The reserved number, for a protocol that a log does not know. */
export const UNKNOWN_PROTOCOL = 255;

const TCP = 6;
const UDP = 17;
export const SCTP = 132;

export const hasPorts = (protocol: number): boolean =>
  protocol === TCP || protocol === UDP || protocol === SCTP;

/** Returns the port that a flow counts under in Apps; null for flows without ports. */
export function appPort({ protocol, ports, portRule }: Flow): number | null {
  if (ports === null || protocol === null) return null;
  const { source, destination } = ports;
  // SCTP has no port 0: whoever reports it did not look into the packets.
  if (protocol === SCTP && destination === 0 && !source) return null;
  // A flow that reports only one port counts under that one.
  if (portRule === 'destination' || source === null) return destination;
  return servicePort(protocol, { source, destination });
}
