import { createHash, type Hash } from 'node:crypto';

/** What was read of a content: the number of bytes, and the SHA-256 of them and of their head. */
export type ContentPrint = {
  readonly length: number;
  readonly digest: Buffer;
  readonly head: Buffer;
};

/** An import with which a content may begin. */
type KnownContent = { readonly length: number; readonly digest: Buffer };

const LINE_FEED = 0x0a;

/**
 * Digests a content block by block, and finds the longest import that it is, or begins with. The
 * head of a content is its beginning up to the largest power of two that fits: content that begins
 * with an import begins with its head. So at each power of two, `byHead` has to return only the
 * imports with that head, shortest first, and the others are never looked at (ADR 25).
 */
export class ContentPrinter<Known extends KnownContent> {
  readonly #byHead: (head: Buffer) => Promise<readonly Known[]>;
  readonly #hash = createHash('sha256');
  #length = 0;
  #head: Buffer = Buffer.alloc(0);
  #headEnd = 1;
  /** Those that may follow, the next one last. */
  #candidates: Known[] = [];
  #known: Known | null = null;
  #atLineEnd: { length: number; head: Buffer; hash: Hash } | null = null;

  constructor(byHead: (head: Buffer) => Promise<readonly Known[]>) {
    this.#byHead = byHead;
  }

  async push(block: Buffer): Promise<void> {
    const lineEnd = block.lastIndexOf(LINE_FEED) + 1;
    await this.#take(block.subarray(0, lineEnd));
    if (lineEnd > 0) {
      this.#atLineEnd = { length: this.#length, head: this.#head, hash: this.#hash.copy() };
    }
    await this.#take(block.subarray(lineEnd));
  }

  /** Returns the longest import with which the content begins; null if there is none. */
  known(): Known | null {
    return this.#known;
  }

  print(): ContentPrint {
    return { length: this.#length, digest: this.#digest(), head: this.#head };
  }

  /** Returns the print up to the last line break; null if there is none. */
  printOfLines(): ContentPrint | null {
    if (this.#atLineEnd === null) return null;
    const { length, head, hash } = this.#atLineEnd;
    return { length, digest: hash.copy().digest(), head };
  }

  async #take(block: Buffer): Promise<void> {
    for (let from = 0; from < block.length; ) {
      const stop = Math.min(this.#headEnd, this.#candidates.at(-1)?.length ?? this.#headEnd);
      const part = block.subarray(from, from + stop - this.#length);
      this.#hash.update(part);
      this.#length += part.length;
      from += part.length;
      if (this.#length === stop) await this.#compare();
    }
  }

  async #compare(): Promise<void> {
    const digest = this.#digest();
    if (this.#length === this.#headEnd) {
      this.#head = digest;
      this.#headEnd *= 2;
      this.#candidates = [...(await this.#byHead(digest))].reverse();
    }
    while (this.#candidates.at(-1)?.length === this.#length) {
      const known = this.#candidates.pop();
      if (known?.digest.equals(digest)) this.#known = known;
    }
  }

  #digest = (): Buffer => this.#hash.copy().digest();
}
