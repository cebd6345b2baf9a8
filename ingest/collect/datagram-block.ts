import { LIMITS } from '../../domain/limits.ts';
import type { Datagram } from '../datagrams/datagram.ts';

/**
 * Datagrams on their way from the thread that receives them, in one piece of memory that moves to
 * the other thread. Before each are its length, its port, the place of its address in `addresses`,
 * and when it arrived.
 */
export type DatagramBlock = {
  readonly memory: ArrayBuffer;
  /** Bytes that are in use. */
  readonly sizeBytes: number;
  readonly addresses: readonly string[];
};

const HEADER_BYTES = 16;

/** Fills blocks. */
export class BlockFiller {
  #memory: Buffer | null = null;
  #used = 0;
  #addresses = new Map<string, number>();
  /** Memory of blocks that came back. */
  readonly #spare: ArrayBuffer[] = [];

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  hasRoomFor(bytes: Uint8Array): boolean {
    return this.#used + HEADER_BYTES + bytes.length <= LIMITS.collectBlockBytes;
  }

  add({ bytes, address, port, receivedMs }: Datagram): void {
    this.#memory ??= Buffer.from(this.#spare.pop() ?? new ArrayBuffer(LIMITS.collectBlockBytes));
    const at = this.#used;
    this.#memory.writeUInt32LE(bytes.length, at);
    this.#memory.writeUInt16LE(port, at + 4);
    this.#memory.writeUInt16LE(this.#placeOf(address), at + 6);
    this.#memory.writeDoubleLE(receivedMs, at + 8);
    this.#memory.set(bytes, at + HEADER_BYTES);
    this.#used = at + HEADER_BYTES + bytes.length;
  }

  /** Returns what was added since the last call; null: nothing. */
  take(): DatagramBlock | null {
    if (this.#memory === null) return null;
    const { buffer: memory } = this.#memory;
    const addresses = [...this.#addresses.keys()];
    const block = { memory: memory as ArrayBuffer, sizeBytes: this.#used, addresses };
    this.#memory = null;
    this.#used = 0;
    this.#addresses = new Map();
    return block;
  }

  /** Takes back the memory of a block. */
  giveBack(memory: ArrayBuffer): void {
    this.#spare.push(memory);
  }

  #placeOf(address: string): number {
    const known = this.#addresses.get(address);
    if (known !== undefined) return known;
    const place = this.#addresses.size;
    this.#addresses.set(address, place);
    return place;
  }
}

/** Reads the datagrams of a block. Their bytes are part of its memory. */
export function* datagramsOf({ memory, sizeBytes, addresses }: DatagramBlock): Generator<Datagram> {
  const all = Buffer.from(memory, 0, sizeBytes);
  let at = 0;
  while (at < sizeBytes) {
    const from = at + HEADER_BYTES;
    const to = from + all.readUInt32LE(at);
    yield {
      bytes: all.subarray(from, to),
      port: all.readUInt16LE(at + 4),
      address: addresses[all.readUInt16LE(at + 6)] ?? '',
      receivedMs: all.readDoubleLE(at + 8),
    };
    at = to;
  }
}
