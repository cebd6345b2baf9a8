import { crc32 } from 'node:zlib';
import { DamagedSegment } from '../damaged-segment.ts';

/*
 * A page is the unit of storage and of reading: a CRC-32 in four bytes, then a piece of the
 * segment's sections, which follow each other across pages. The CRC covers the segment's nonce, the page's number and the piece. So it detects a
 * flipped bit, and also a page that has the number of another one.
 */

const DIGEST_BYTES = 4;

/**
 * Bytes of sections in a page, except the last: with its digest, its key and the headers of a row,
 * a page fills one of PostgreSQL's pages of 8 kB, so that it is stored in the row itself.
 */
export const PAGE_BYTES = 8110 - DIGEST_BYTES;

/** Identifies a page and its segment; part of the digest. */
type PageIdentity = { readonly nonce: number; readonly number: number };

function digestOf(sections: Uint8Array, { nonce, number }: PageIdentity): number {
  const identity = new Uint8Array(8);
  const view = new DataView(identity.buffer);
  view.setUint32(0, nonce, true);
  view.setUint32(4, number, true);
  return crc32(sections, crc32(identity));
}

export function sealPage(sections: Uint8Array, identity: PageIdentity): Uint8Array {
  const page = new Uint8Array(DIGEST_BYTES + sections.length);
  page.set(sections, DIGEST_BYTES);
  new DataView(page.buffer).setUint32(0, digestOf(sections, identity), true);
  return page;
}

/** Returns the sections of a page, sharing its memory. Errors: DamagedSegment. */
export function openPage(page: Uint8Array, identity: PageIdentity): Uint8Array {
  const { number } = identity;
  if (page.length < DIGEST_BYTES) throw new DamagedSegment(`page ${number} is cut short`);
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const sections = page.subarray(DIGEST_BYTES);
  if (view.getUint32(0, true) !== digestOf(sections, identity)) {
    throw new DamagedSegment(`the digest of page ${number} does not fit its bytes`);
  }
  return sections;
}
