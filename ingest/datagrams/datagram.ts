import type { DatagramRefusal, ExportProtocol } from '../../domain/exporters.ts';
import type { Flow } from '../flows/flow.ts';

/** A UDP datagram of an exporter, as a socket received it. */
export type Datagram = {
  /** Its content. Whoever keeps a part of it beyond the call must copy it. */
  readonly bytes: Buffer;
  /** Where it came from, which may be a NAT gateway: an IPv4 or IPv6 address in text form. */
  readonly address: string;
  readonly port: number;
  /** When it arrived, in milliseconds since 1970. */
  readonly receivedMs: number;
};

/** What the header of a datagram says about its place in the exporter's sequence. */
export type DatagramNumber = {
  readonly protocol: ExportProtocol;
  /** Distinguishes the sequences of an exporter: engine, source id, domain, or agent. */
  readonly domain: string;
  /** The sequence number, 0 to 2^32-1. */
  readonly number: number;
  /**
   * How much of the sequence the datagram stands for, in the unit of its protocol; null: unknown,
   * because it has data whose template has not arrived.
   */
  readonly units: number | null;
  /** Milliseconds since the exporter started, modulo 2^32; null: the header does not say. */
  readonly uptimeMs: number | null;
  /** When it was sent, by the exporter's clock, in milliseconds since 1970; null: unknown. */
  readonly sentMs: number | null;
  /** Set if all of the datagram was refused: then its header may be wrong, too. */
  readonly isRefused?: true;
};

/** What a datagram brought. Flows of data that waited for a template come with their template. */
export type DecodedDatagram = {
  /** null: the header could not be read. */
  readonly number: DatagramNumber | null;
  readonly flows: readonly Flow[];
  /** Records without traffic: of firewalls and NAT gateways, or of frames that are not IP. */
  readonly skipped: { readonly events: number; readonly notIp: number };
  /** Refused parts by reason: one that could not be read, or the flows that could. */
  readonly refused: ReadonlyMap<DatagramRefusal, number>;
  /** The distinct sampling rates of the flows; 1: not sampled. */
  readonly samplingRates: readonly number[];
  /** Flows of a sampler that no options describe, which count as not sampled. */
  readonly ofUnknownSampler: number;
};

/** Decodes datagrams. It remembers what exporters said of the form of their data. */
export type DatagramDecoder = {
  readonly decode: (datagram: Datagram) => DecodedDatagram;
  /** Forgets what is out of date. Called about once a second, with milliseconds since 1970. */
  readonly expire: (nowMs: number) => readonly ExpiredData[];
  /** Number of datagrams of an address that wait for a template. */
  readonly waitingOf: (address: string) => number;
};

/** Datagrams whose template did not arrive in time. */
export type ExpiredData = { readonly address: string; readonly datagrams: number };
