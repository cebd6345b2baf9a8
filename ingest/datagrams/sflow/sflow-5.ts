import type { DatagramRefusal } from '../../../domain/exporters.ts';
import { formatAddress } from '../../../domain/keys/address-text.ts';
import { LIMITS } from '../../../domain/limits.ts';
import { boundedCache } from '../../bounded-cache.ts';
import type { Flow } from '../../flows/flow.ts';
import { multiplyWhole } from '../../whole.ts';
import type { AddressKeys } from '../address-keys.ts';
import type { Datagram, DatagramNumber, DecodedDatagram } from '../datagram.ts';
import { GatheredFlows } from '../gathered-flows.ts';
import { readFlowSample, type SampledPacket } from './flow-sample.ts';
import { type Opaque, readOpaque, WORD } from './xdr.ts';

/**
 * Decodes a datagram of sFlow version 5 (sflow.org, sflow_version_5.txt, section 5), whose first
 * word is the version. Everything is in XDR (RFC 4506): words of 32 bits, and opaque data with a
 * word before it that says its length.
 *
 * A sample that cannot be read is refused by itself, because its length says where the next one
 * begins. If that length exceeds the datagram, all of the datagram is refused, and changes nothing.
 */
export function decodeSflow(datagram: Datagram, addresses: AddressKeys): DecodedDatagram {
  const gathered = new GatheredFlows(datagram.receivedMs);
  const header = readHeader(datagram.bytes);
  if (typeof header === 'string') {
    gathered.refuse(header);
    return gathered.answer(null);
  }
  const samples = findSamples(datagram.bytes, header);
  if (samples === null) {
    gathered.refuse('truncated');
    return gathered.answer({ ...header.number, isRefused: true });
  }
  readSamples(datagram, samples, { gathered, addresses });
  return gathered.answer(header.number);
}

type Header = {
  readonly number: DatagramNumber;
  /** How many samples there are, as the exporter says, and where the first one begins. */
  readonly samples: number;
  readonly samplesAt: number;
};

/** Number of bytes of the agent's address by its type: unknown, IPv4 or IPv6. */
const ADDRESS_BYTES: readonly number[] = [0, 4, 16];

function readHeader(bytes: Buffer): Header | DatagramRefusal {
  const addressAt = 2 * WORD;
  if (bytes.length < addressAt) return 'truncated';
  const addressBytes = ADDRESS_BYTES[bytes.readUInt32BE(WORD)];
  if (addressBytes === undefined) return 'badLength';
  const at = addressAt + addressBytes;
  const samplesAt = at + 4 * WORD;
  if (samplesAt > bytes.length) return 'truncated';
  return {
    number: {
      protocol: 'sflow',
      domain: domainOf(bytes.toString('latin1', addressAt, at), bytes.readUInt32BE(at)),
      number: bytes.readUInt32BE(at + WORD),
      // The sequence counts datagrams.
      units: 1,
      uptimeMs: bytes.readUInt32BE(at + 2 * WORD),
      // sFlow does not say the time of day.
      sentMs: null,
    },
    samples: bytes.readUInt32BE(at + 3 * WORD),
    samplesAt,
  };
}

/**
 * Names the sequence of a sub-agent, each of which numbers its datagrams: `AGENT/SUBAGENT`. The
 * sub-agent is left out if it is 0, as it is in nearly all devices, and so is an agent without an
 * address.
 */
function domainOf(agentBytes: string, subAgent: number): string {
  const agent = agentBytes === '' ? '' : agentText(agentBytes);
  if (subAgent === 0) return agent;
  return agent === '' ? String(subAgent) : `${agent}/${subAgent}`;
}

const agentText = boundedCache(LIMITS.lossExporters, (bytes: string) =>
  formatAddress([...Buffer.from(bytes, 'latin1')]),
);

type Reading = { readonly gathered: GatheredFlows; readonly addresses: AddressKeys };

/** Reads the samples, each a word that says its format, and opaque data. */
function readSamples(
  { bytes, receivedMs }: Datagram,
  samples: readonly PlacedSample[],
  { gathered, addresses }: Reading,
): void {
  for (const { at, data } of samples) {
    const sample = readFlowSample(bytes.readUInt32BE(at), { bytes, addresses }, data);
    if (sample === 'notIp') gathered.skipNotIp();
    else if (typeof sample === 'string') gathered.refuse(sample);
    else if (sample !== null) addPacket(gathered, sample, receivedMs);
  }
}

type PlacedSample = { readonly at: number; readonly data: Opaque };

/** Returns where the samples are; null if they exceed the datagram. */
function findSamples(bytes: Buffer, { samples, samplesAt }: Header): PlacedSample[] | null {
  const found: PlacedSample[] = [];
  let at = samplesAt;
  // The exporter's number of samples is only a bound: every one of them takes some bytes.
  for (let i = 0; i < samples; i += 1) {
    const data = readOpaque(bytes, at + WORD, bytes.length);
    if (data === null) return null;
    found.push({ at, data });
    at = data.next;
  }
  return found;
}

function addPacket(gathered: GatheredFlows, packet: SampledPacket, receivedMs: number): void {
  // In sFlow, an unknown number is 0.
  const rate = packet.samplingRate || 1;
  const { source, destination, protocol, ports } = packet.header;
  const bytes = multiplyWhole(packet.frameBytes, rate);
  const flow: Flow = {
    // A sample has no time of its own: it was taken a moment before it arrived.
    startUs: receivedMs * 1000,
    durationUs: 0,
    protocol,
    ports,
    portRule: 'registered',
    originator: { address: source, bytes, packets: rate },
    responder: { address: destination, bytes: 0, packets: 0 },
  };
  gathered.add(flow, rate);
}
