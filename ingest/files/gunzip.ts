import { createGunzip, type Gunzip } from 'node:zlib';

/** Large blocks, because each costs a turn of the event loop. */
const BLOCK_BYTES = 256 * 1024;

/**
 * Unpacks gzip, one member or several. Zero bytes after a member are padding, as tapes and block
 * devices need it, wherever they are; Node takes the first of them for the end of all content.
 * Anything else after a member fails.
 */
export async function* gunzip(packed: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer | null = await nextBlock(packed);
  while (rest !== null) {
    const members = new Members(rest, packed);
    yield* members.content();
    rest = await afterZeros(members.rest(), packed);
  }
}

async function nextBlock(blocks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  const { value, done } = await blocks.next();
  return done ? null : value;
}

/** Returns what follows the zero bytes; null: nothing. */
async function afterZeros(first: Buffer, blocks: AsyncIterator<Buffer>): Promise<Buffer | null> {
  let block: Buffer | null = first;
  while (block !== null) {
    const start = block.findIndex((byte) => byte !== 0);
    if (start >= 0) return block.subarray(start);
    block = await nextBlock(blocks);
  }
  return null;
}

/** Members without padding between them. */
class Members {
  readonly #gunzip: Gunzip = createGunzip({ chunkSize: BLOCK_BYTES });
  #block: Buffer;
  readonly #following: AsyncIterator<Buffer>;
  /** Bytes of all blocks up to this one. */
  #fed: number;

  constructor(first: Buffer, following: AsyncIterator<Buffer>) {
    this.#block = first;
    this.#following = following;
    this.#fed = first.length;
  }

  async *content(): AsyncGenerator<Buffer> {
    this.#feed().catch((error: Error) => this.#gunzip.destroy(error));
    yield* this.#gunzip;
  }

  /** Stops after the last member, or at padding. */
  async #feed(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve, reject) => {
        this.#gunzip.write(this.#block, (error) => (error ? reject(error) : resolve()));
      });
      if (this.#gunzip.bytesWritten < this.#fed) return;
      const next = await nextBlock(this.#following);
      if (next === null) break;
      this.#block = next;
      this.#fed += next.length;
    }
    this.#gunzip.end();
  }

  /** Returns what of the last block comes after the members. */
  rest(): Buffer {
    return this.#block.subarray(this.#block.length - (this.#fed - this.#gunzip.bytesWritten));
  }
}
