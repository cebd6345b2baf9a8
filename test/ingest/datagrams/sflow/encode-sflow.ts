import { parseAddress } from '../../../../domain/keys/address-text.ts';

/** XDR (RFC 4506), and what sflow_version_5.txt makes of it, for tests. */

export const words = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, i) => {
    bytes.writeUInt32BE(number, 4 * i);
  });
  return bytes;
};

/** Opaque data: its length, its bytes, and zeros up to a multiple of four bytes. */
export const opaque = (data: Buffer): Buffer =>
  Buffer.concat([words(data.length), data, Buffer.alloc(-data.length & 3)]);

/** A record or a sample: its format and its data. */
export const formatted = (format: number, data: Buffer): Buffer =>
  Buffer.concat([words(format), opaque(data)]);

export const addressBytesIn = (text: string): Buffer => {
  const bytes = parseAddress(text);
  if (bytes === null) throw new Error(`${text} is not an address`);
  return Buffer.from(bytes);
};

export type DatagramFields = {
  /** Null: an agent that does not know its address. */
  readonly agent?: string | null;
  readonly subAgent?: number;
  readonly sequence?: number;
  readonly uptimeMs?: number;
  /** The number of samples that the header says, if not the true one. */
  readonly count?: number;
};

export function sflowDatagram(samples: readonly Buffer[], fields: DatagramFields = {}): Buffer {
  const { agent = '192.0.2.1', subAgent = 0, sequence = 1, uptimeMs = 60_000 } = fields;
  const address = agent === null ? Buffer.alloc(0) : addressBytesIn(agent);
  const type = [0, 4, 16].indexOf(address.length);
  return Buffer.concat([
    words(5, type),
    address,
    words(subAgent, sequence, uptimeMs, fields.count ?? samples.length),
    ...samples,
  ]);
}

export type SampleFields = {
  readonly rate?: number;
  readonly isExpanded?: boolean;
  /** The number of records that the sample says, if not the true one. */
  readonly count?: number;
};

export function flowSample(records: readonly Buffer[], fields: SampleFields = {}): Buffer {
  const { rate = 1, isExpanded = false, count = records.length } = fields;
  const sequence = 7;
  const pool = 1_000;
  const drops = 3;
  const head = isExpanded
    ? words(sequence, 0, 2, rate, pool, drops, 0, 2, 0, 3, count)
    : words(sequence, 2, rate, pool, drops, 2, 3, count);
  return formatted(isExpanded ? 3 : 1, Buffer.concat([head, ...records]));
}

export type RawHeaderFields = {
  readonly protocol?: number;
  /** The length of the whole frame. */
  readonly frameBytes?: number;
  /** What follows the fields that are known: enterprises may extend a structure. */
  readonly extension?: Buffer;
};

/** A record with the first bytes of a packet. */
export function rawHeader(first: Buffer, fields: RawHeaderFields = {}): Buffer {
  const { protocol = 1, frameBytes = first.length + 4, extension = Buffer.alloc(0) } = fields;
  const stripped = 4;
  return formatted(
    1,
    Buffer.concat([words(protocol, frameBytes, stripped), opaque(first), extension]),
  );
}

export type IpFields = {
  readonly length: number;
  readonly protocol: number;
  readonly from: string;
  readonly to: string;
  readonly sourcePort?: number;
  readonly port?: number;
};

/** A record with the fields of an IP header. */
export function ipRecord(fields: IpFields): Buffer {
  const from = addressBytesIn(fields.from);
  return formatted(
    from.length === 4 ? 3 : 4,
    Buffer.concat([
      words(fields.length, fields.protocol),
      from,
      addressBytesIn(fields.to),
      words(fields.sourcePort ?? 0, fields.port ?? 0, 0, 0),
    ]),
  );
}
