import { addressBytesIn } from './encode-sflow.ts';

/** Frames and packets for tests, from the inside out. */

export const uint16s = (...numbers: readonly number[]): Buffer =>
  Buffer.from(numbers.flatMap((number) => [number >> 8, number & 0xff]));

/** Ports, and zeros for what else a header of 20 bytes has. */
export const segment = (source: number, destination: number): Buffer =>
  Buffer.concat([uint16s(source, destination), Buffer.alloc(16)]);

type PacketFields = {
  readonly protocol: number;
  readonly from?: string;
  readonly to?: string;
  /** In units of eight bytes. */
  readonly fragmentOffset?: number;
  readonly moreFragments?: boolean;
};

/** An IPv4 packet; `options` is a multiple of four bytes. */
export function ipv4(
  payload: Buffer,
  fields: PacketFields,
  options: Buffer = Buffer.alloc(0),
): Buffer {
  const { protocol, from = '192.0.2.7', to = '198.51.100.9', fragmentOffset = 0 } = fields;
  const headerBytes = 20 + options.length;
  const flags = fields.moreFragments ? 0x2000 : 0x4000;
  return Buffer.concat([
    Buffer.from([0x40 | (headerBytes / 4), 0]),
    uint16s(headerBytes + payload.length, 0x1234, flags | fragmentOffset),
    Buffer.from([64, protocol, 0, 0]),
    addressBytesIn(from),
    addressBytesIn(to),
    options,
    payload,
  ]);
}

/** An extension header: its number, and its bytes without the first one, the next header. */
export type Extension = readonly [number: number, rest: Buffer];

export const hopByHop: Extension = [0, Buffer.concat([Buffer.from([0]), Buffer.alloc(6)])];
export const destinationOptions: Extension = [
  60,
  Buffer.concat([Buffer.from([2]), Buffer.alloc(22)]),
];
export const routing: Extension = [43, Buffer.concat([Buffer.from([4]), Buffer.alloc(38)])];
export const mobility: Extension = [135, Buffer.concat([Buffer.from([1]), Buffer.alloc(14)])];
export const hostIdentity: Extension = [139, Buffer.concat([Buffer.from([4]), Buffer.alloc(38)])];
export const shim6: Extension = [140, Buffer.concat([Buffer.from([0]), Buffer.alloc(6)])];
/** Its length is in words of four bytes, minus two. */
export const authentication: Extension = [51, Buffer.concat([Buffer.from([4]), Buffer.alloc(22)])];
/** The second byte is reserved, and may be anything. */
export const fragment = (offset: number): Extension => [
  44,
  Buffer.concat([Buffer.from([9]), uint16s(offset << 3), Buffer.alloc(4)]),
];

export function ipv6(
  payload: Buffer,
  fields: { readonly protocol: number; readonly from?: string; readonly to?: string },
  extensions: readonly Extension[] = [],
): Buffer {
  const { protocol, from = '2001:db8::7', to = '2001:db8:1::9' } = fields;
  const numbers = [...extensions.map(([number]) => number), protocol];
  const rest = Buffer.concat([
    ...extensions.map(([, bytes], i) =>
      Buffer.concat([Buffer.from([numbers[i + 1] ?? 59]), bytes]),
    ),
    payload,
  ]);
  return Buffer.concat([
    Buffer.from([0x6a, 0xbc, 0xde, 0xf0]),
    uint16s(rest.length),
    Buffer.from([numbers[0] ?? 59, 64]),
    addressBytesIn(from),
    addressBytesIn(to),
    rest,
  ]);
}

const MACS = Buffer.from('020000000001020000000002', 'hex');

export const ethernet = (type: number, payload: Buffer): Buffer =>
  Buffer.concat([MACS, uint16s(type), payload]);

/** A tag of a VLAN, and the Ethernet type and content of what is tagged. */
export const vlan = (type: number, payload: Buffer): Buffer =>
  Buffer.concat([uint16s(0xa00c, type), payload]);

/** A stack of as many labels, none of which is 0. */
export const labels = (count: number, payload: Buffer): Buffer =>
  Buffer.concat([
    ...Array.from({ length: count }, (_, i) =>
      Buffer.from([0x01, 0x00, 0x10 | (i === count - 1 ? 1 : 0), 64]),
    ),
    payload,
  ]);

export const pppoe = (protocol: number, payload: Buffer): Buffer =>
  Buffer.concat([uint16s(0x1100, 0x0001, payload.length + 2, protocol), payload]);
