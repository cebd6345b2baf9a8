import type { KeyShape } from './key-shape.ts';

/**
 * What follows a part of a key: nothing, because it is the whole key or its last part; or a part
 * that is stored as its raw characters (text, a country), or as bytes.
 */
export type PartPosition = 'alone' | 'last' | 'beforeText' | 'beforeBytes';

export const isBeforeAnother = (position: PartPosition): boolean =>
  position === 'beforeText' || position === 'beforeBytes';

/** A raw text being read, and the compact key being made from it. */
export type KeyScan = {
  source: Uint8Array;
  /** The next byte of `source`, which ends before `to`. */
  at: number;
  to: number;
  into: Uint8Array;
  /** The next byte of `into`. */
  out: number;
};

/** Results of a scan: the bytes are a part; they are not; only a UTF-8 decoder can tell. */
export const READ = 0;
export const NO_KEY = -1;
export const UNDECIDED = -2;

/**
 * One part of a compact key at a known position. Its bytes depend on its text, its position and the
 * kinds of its neighbours, never on the contents of the neighbours.
 */
export type PartForm = {
  /** The layouts of a part made of bytes; null for text, which has none. */
  readonly shapes: readonly KeyShape[] | null;
  /** Reads the raw part at `scan.at`, up to the separator: READ, NO_KEY or UNDECIDED. */
  readonly scan: (scan: KeyScan) => number;
  /**
   * Returns where the part that begins at `from` ends, including what closes it. Trusts the bytes.
   */
  readonly endOf: (bytes: Uint8Array, from: number, to: number) => number;
  /** Like endOf, but checks every byte. Errors: DamagedSegment. */
  readonly check: (bytes: Uint8Array, from: number, to: number) => number;
  /** Returns the raw text, not escaped, of a part that has the bytes from `from` to before `to`. */
  readonly format: (bytes: Uint8Array, from: number, to: number) => string;
};
