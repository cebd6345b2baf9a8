import { ByteWriter } from '../codes/bytes.ts';
import { sealPage } from './page.ts';

/**
 * Maximum bytes of a page, unless a single section is larger: what one read of a few blocks of one
 * meter fetches.
 */
const PAGE_BYTES = 16_384;

/** A page ready to be stored. Numbers ascend from 0. */
export type StoredPage = { readonly number: number; readonly bytes: Uint8Array };

/** A section as the directory lists it. A length of 0 means that the section does not exist. */
export type ListedSection = { readonly length: number; readonly opensPage: boolean };

/** Puts sections into pages, one after the other. No section is split. */
export class PageCutter {
  readonly #nonce: number;
  readonly #open = new ByteWriter();
  #number = 0;
  #closed: StoredPage[] = [];

  constructor(nonce: number) {
    this.#nonce = nonce;
  }

  add(section: Uint8Array | null): ListedSection {
    if (section === null || section.length === 0) return { length: 0, opensPage: false };
    const isFull = this.#open.length > 0 && this.#open.length + section.length > PAGE_BYTES;
    if (isFull) this.#close();
    const opensPage = this.#open.length === 0;
    this.#open.append(section);
    return { length: section.length, opensPage };
  }

  /** Returns the pages closed since the last call. */
  takeClosed(): StoredPage[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** Closes the last page. Returns the number of pages. */
  finish(): number {
    if (this.#open.length > 0) this.#close();
    return this.#number;
  }

  #close(): void {
    const identity = { nonce: this.#nonce, number: this.#number };
    this.#closed.push({ number: this.#number, bytes: sealPage(this.#open.take(), identity) });
    this.#open.clear();
    this.#number += 1;
  }
}
