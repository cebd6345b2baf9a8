/**
 * Small databases in MaxMind's format, for tests: a binary tree over the bits of addresses, then
 * the data of its leaves, then the metadata.
 * https://maxmind.github.io/MaxMind-DB/
 */

type Value = string | number | { readonly [name: string]: Value };

export type MmdbEntry = { readonly network: string; readonly record: Value };

/** A branch leads to another node, to a leaf with data, or to nothing. */
type Node = [Branch, Branch];
type Branch = Node | Value | undefined;

const METADATA_MARK = Buffer.from('abcdef4d61784d696e642e636f6d', 'hex');

export function mmdbFile(
  databaseType: string,
  entries: readonly MmdbEntry[],
  ipVersion: 4 | 6 = 6,
): Buffer {
  const root: Node = [undefined, undefined];
  for (const { network, record } of entries) insert(root, bitsOf(network, ipVersion), record);
  const nodes = allNodes(root);
  const data: Buffer[] = [];
  const tree = nodes.flatMap((node) => node.map((branch) => recordOf(branch, nodes, data)));
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: databaseType,
    description: { en: 'made by a test' },
    ip_version: ipVersion,
    node_count: nodes.length,
    record_size: RECORD_BITS,
  });
  return Buffer.concat([...tree, Buffer.alloc(16), ...data, METADATA_MARK, metadata]);
}

/** The bits of a network's prefix; in an IPv6 tree, an IPv4 prefix follows 96 zeros. */
function bitsOf(network: string, ipVersion: 4 | 6): number[] {
  const [address = '', length = ''] = network.split('/');
  const isIpv6 = address.includes(':');
  const bits = isIpv6
    ? ipv6Words(address).flatMap((word) => bitsOfNumber(word, 16))
    : ipv4Bits(address);
  const zeros = Array.from({ length: isIpv6 || ipVersion === 4 ? 0 : 96 }, () => 0);
  return [...zeros, ...bits.slice(0, Number(length))];
}

const ipv4Bits = (text: string): number[] =>
  text.split('.').flatMap((byte) => bitsOfNumber(Number(byte), 8));

/** Only for addresses that end with `::`, as networks do. */
function ipv6Words(text: string): number[] {
  const words = text.split(':').filter((word) => word !== '');
  return Array.from({ length: 8 }, (_, i) => Number.parseInt(words[i] ?? '0', 16));
}

const bitsOfNumber = (value: number, width: number): number[] =>
  Array.from({ length: width }, (_, i) => (value >> (width - 1 - i)) & 1);

const isNode = (branch: Branch): branch is Node => Array.isArray(branch);

function insert(root: Node, bits: readonly number[], record: Value): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit];
    const child: Node = isNode(next) ? next : [next, next];
    node[bit] = child;
    node = child;
  }
  node[bits.at(-1) ?? 0] = record;
}

function allNodes(root: Node): Node[] {
  const nodes: Node[] = [root];
  for (const node of nodes) nodes.push(...node.filter(isNode));
  return nodes;
}

const RECORD_BITS = 24;

/** What a branch points to: a node, an offset in the data, or nothing. */
function recordOf(branch: Branch, nodes: readonly Node[], data: Buffer[]): Buffer {
  const bytes = Buffer.alloc(RECORD_BITS / 8);
  bytes.writeUIntBE(targetOf(branch, nodes, data), 0, bytes.length);
  return bytes;
}

function targetOf(branch: Branch, nodes: readonly Node[], data: Buffer[]): number {
  if (branch === undefined) return nodes.length;
  if (isNode(branch)) return nodes.indexOf(branch);
  const offset = data.reduce((sum, { length }) => sum + length, 0);
  data.push(encode(branch));
  return nodes.length + 16 + offset;
}

const STRING = 2;
const UINT32 = 6;
const MAP = 7;

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(STRING, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return Buffer.concat([control(UINT32, bytes.length), bytes]);
  }
  const pairs = Object.entries(value);
  const encoded = pairs.flatMap(([name, each]) => [encode(name), encode(each)]);
  return Buffer.concat([control(MAP, pairs.length), ...encoded]);
}

/** The control byte, with type and size; sizes from 29 on need a second byte. */
const control = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.of((type << 5) | size) : Buffer.of((type << 5) | 29, size - 29);
