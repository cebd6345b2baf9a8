import type { KeyText } from '../../domain/keys/key-text.ts';
import { servicePort } from '../../domain/keys/service-port.ts';
import type { Whole } from '../whole.ts';

/** One end of a flow and what it sent: bytes and packets, 0 where the log does not say. */
export type FlowSide = {
  /** The address as a raw key of kind `ip`; null where an aggregate leaves it out. */
  readonly address: KeyText | null;
  readonly bytes: Whole;
  readonly packets: Whole;
};

/** The ports of both ends; the source's is null where nothing tells or needs it. */
export type FlowPorts = { readonly source: number | null; readonly destination: number };

/**
 * Which port a flow counts under in Apps. `destination`: the log names the responder, and the
 * responder's port is the service. `registered`: the log tells one direction only, so the registry
 * decides (operations, "Service port").
 */
export type PortRule = 'registered' | 'destination';

/** A connection, flow record or aggregate of any format. Times are whole microseconds. */
export type Flow = {
  readonly startUs: number;
  readonly durationUs: number;
  /** IANA number; 255 where the log does not know it, null where an aggregate leaves it out. */
  readonly protocol: number | null;
  /** Null for flows without ports: all but TCP, UDP and SCTP. */
  readonly ports: FlowPorts | null;
  readonly portRule: PortRule;
  readonly originator: FlowSide;
  readonly responder: FlowSide;
  /** How many connections an aggregate is of; left out: it is one. */
  readonly connections?: Whole;
};

/** The reserved number stands for a protocol that a log does not know. */
export const UNKNOWN_PROTOCOL = 255;

const TCP = 6;
const UDP = 17;
const SCTP = 132;

export const hasPorts = (protocol: number): boolean =>
  protocol === TCP || protocol === UDP || protocol === SCTP;

/** The port that a flow counts under in Apps; null for flows without ports. */
export function appPort({ protocol, ports, portRule }: Flow): number | null {
  if (ports === null || protocol === null) return null;
  const { source, destination } = ports;
  // Of a flow that tells one port alone, that one has to do.
  if (portRule === 'destination' || source === null) return destination;
  return servicePort(protocol, { source, destination });
}
