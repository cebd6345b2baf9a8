import type { KeyShape } from './key-shape.ts';

/**
 * What follows a part of a key: nothing, as it is the whole key or its last part; or a part that is
 * kept as its raw characters (text, a country), or as bytes.
 */
export type PartPosition = 'alone' | 'last' | 'beforeText' | 'beforeBytes';

export const isBeforeAnother = (position: PartPosition): boolean =>
  position === 'beforeText' || position === 'beforeBytes';

/** A raw text that is being read, and the compact key that is being made of it. */
export type KeyScan = {
  source: Uint8Array;
  /** The next byte of `source`, which ends before `to`. */
  at: number;
  to: number;
  into: Uint8Array;
  /** The next byte of `into`. */
  out: number;
};

/** Results of a scan: the bytes are a part's; they are not; only a decoder of UTF-8 can tell. */
export const READ = 0;
export const NO_KEY = -1;
export const UNDECIDED = -2;

/**
 * One part of a compact key, at a known position. Part i's bytes depend on its text, on its
 * position and on the kinds of its neighbours, never on what the neighbours are.
 */
export type PartForm = {
  /** The layouts of a part made of bytes; null for text, which has none. */
  readonly shapes: readonly KeyShape[] | null;
  /** Reads the raw part at `scan.at`, up to the separator: READ, NO_KEY or UNDECIDED. */
  readonly scan: (scan: KeyScan) => number;
  /** Where the part that begins at `from` ends, what closes it included. Trusts the bytes. */
  readonly endOf: (bytes: Uint8Array, from: number, to: number) => number;
  /** As endOf, but looks at every byte. Errors: DamagedSegment. */
  readonly check: (bytes: Uint8Array, from: number, to: number) => number;
  /** The raw text of a part that takes the bytes from `from` to before `to`, not escaped. */
  readonly format: (bytes: Uint8Array, from: number, to: number) => string;
};
