import { ByteWriter } from '../codes/bytes.ts';
import { PAGE_BYTES, sealPage } from './page.ts';

/** A page ready to be stored. Numbers ascend from 0. */
export type StoredPage = { readonly number: number; readonly bytes: Uint8Array };

/** Cuts a segment's sections, one after the other, into pages. A section may lie in several. */
export class PageCutter {
  readonly #nonce: number;
  readonly #open = new ByteWriter();
  #number = 0;
  #closed: StoredPage[] = [];

  constructor(nonce: number) {
    this.#nonce = nonce;
  }

  /** Adds a section, or none. Returns its length. */
  add(section: Uint8Array | null): number {
    if (section === null) return 0;
    for (let from = 0; from < section.length; ) {
      const to = Math.min(section.length, from + PAGE_BYTES - this.#open.length);
      this.#open.append(section.subarray(from, to));
      if (this.#open.length === PAGE_BYTES) this.#close();
      from = to;
    }
    return section.length;
  }

  /** Returns the pages closed since the last call. */
  takeClosed(): StoredPage[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** Closes the last page. */
  finish(): void {
    if (this.#open.length > 0) this.#close();
  }

  #close(): void {
    const identity = { nonce: this.#nonce, number: this.#number };
    this.#closed.push({ number: this.#number, bytes: sealPage(this.#open.take(), identity) });
    this.#open.clear();
    this.#number += 1;
  }
}
