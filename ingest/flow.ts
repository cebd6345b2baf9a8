import type { KeyText } from '../domain/key-text.ts';
import type { Whole } from './whole.ts';

/** One end of a flow and what it sent: bytes and packets, 0 where the log does not say. */
export type FlowSide = {
  /** The address as a raw key of kind `ip`. */
  readonly address: KeyText;
  readonly bytes: Whole;
  readonly packets: Whole;
};

/** A connection or flow record of any format. Times are whole microseconds. */
export type Flow = {
  readonly startUs: number;
  readonly durationUs: number;
  /** IANA number of the IP protocol; 255 where the log does not know it. */
  readonly protocol: number;
  /** Null for flows without ports: all but TCP, UDP and SCTP. */
  readonly responderPort: number | null;
  readonly originator: FlowSide;
  readonly responder: FlowSide;
};

/** The reserved number stands for a protocol that a log does not know. */
export const UNKNOWN_PROTOCOL = 255;

const TCP = 6;
const UDP = 17;
const SCTP = 132;

export const hasPorts = (protocol: number): boolean =>
  protocol === TCP || protocol === UDP || protocol === SCTP;
