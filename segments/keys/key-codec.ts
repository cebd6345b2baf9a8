import { joinCrossKey } from '../../domain/keys/cross-key.ts';
import type { KeyKind, SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { LIMITS } from '../../domain/limits.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { bytePart } from './byte-part.ts';
import { joinShapes, type KeyShape } from './key-shape.ts';
import { type KeyScan, NO_KEY, type PartForm, type PartPosition, READ } from './part-form.ts';
import { BACKSLASH, textPart } from './text-part.ts';

/*
 * The compact form of keys. Its byte order (unsigned, a prefix before what it begins) is that of
 * the raw texts in UTF-8. So whatever holds for the order of keys holds for that of their bytes:
 * ties between equal values go by ordinal (decision 24), and keys with a common prefix are a range.
 *
 *     hexadecimal bytes   the bytes: two digits in upper case sort as the byte does
 *     a country           its two letters
 *     text                its UTF-8; within a cross-key escaped, as it is in the raw text
 *     a cross-key         its parts one after the other; of the separators, only those after text
 *
 * If the raw text may continue with `.` or with something larger, a tag says which (byte-part.ts).
 * text-part.ts explains what closes a text part. No compact key is longer than its text.
 */

/** Reads and writes the compact keys of one kind. The same key always has the same bytes. */
export type KeyCodec = {
  /** The kinds of the parts, or of the whole key if it has no parts. */
  readonly kinds: readonly SimpleKeyKind[];
  /** Every layout that a key may have; null if it contains text, which has none. */
  readonly shapes: readonly KeyShape[] | null;
  /**
   * Encodes a raw key, with hexadecimal digits in either case. Accepts all that parseRawKey or
   * parseCrossKey accept. Errors: RangeError for anything else.
   */
  readonly encode: (text: string) => Uint8Array;
  /** Like encode, but returns null if the text is not a key. */
  readonly encodeIfKey: (text: string) => Uint8Array | null;
  /**
   * Encodes the raw key in `bytes`, which is UTF-8, from `from` to before `to`, and writes it to
   * `into` from `at` on, where there must be room for `to - from` bytes. Returns the number of
   * bytes written, -1 if it is not a key (by the rules of parseRawKey and parseCrossKey), or -2 if
   * it is not UTF-8, so that the result depends on how it would be decoded.
   */
  readonly encodeAscii: (
    bytes: Uint8Array,
    from: number,
    to: number,
    into: Uint8Array,
    at: number,
  ) => number;
  /**
   * Returns the raw key of compact bytes. Errors: DamagedSegment if they are not a key of this
   * kind.
   */
  readonly decode: (bytes: Uint8Array) => string;
  /** Like decode, but only checks the bytes. */
  readonly check: (bytes: Uint8Array, from: number, to: number) => void;
  /**
   * Finds where each part of a valid key from `from` to before `to` ends, as positions in `bytes`.
   * A part begins where the previous one ends, and includes what closes it (a tag, a separator). So
   * part i has the same bytes in all keys that have that part there.
   */
  readonly partEnds: (bytes: Uint8Array, from: number, to: number, into: Uint32Array) => void;
  /**
   * Returns the bytes of part `part` in every key that has this raw text there; null if no key has.
   */
  readonly encodePart: (part: number, text: string) => Uint8Array | null;
  /** Returns the raw text of a part from its bytes. Errors: DamagedSegment. */
  readonly decodePart: (part: number, bytes: Uint8Array) => string;
};

export type KeyKinds = {
  readonly keyKind: KeyKind;
  /** The kinds of a cross-key's two or three parts; null for every other kind. */
  readonly partKinds: readonly SimpleKeyKind[] | null;
};

/**
 * Returns the codec of a group's keys. Errors: RangeError if the kind and the parts do not match.
 */
export function keyCodecOf({ keyKind, partKinds }: KeyKinds): KeyCodec {
  const kinds = kindsOf(keyKind, partKinds);
  const parts = kinds.map((kind, i) => partForm(kind, positionOf(kinds, i)));
  const { encodeAscii, encodeIfKey } = encodersOf(parts);
  return {
    kinds,
    shapes: shapesOf(parts),
    encode(text) {
      const bytes = encodeIfKey(text);
      if (bytes !== null) return bytes;
      throw new RangeError(`a raw key of kind ${kinds.join('\\')} was expected, not ${text}`);
    },
    encodeIfKey,
    encodeAscii,
    decode: (bytes) => decodeKey(parts, bytes),
    check: (bytes, from, to) => checkKey(parts, bytes, from, to),
    partEnds(bytes, from, to, into) {
      let at = from;
      for (let i = 0; i < parts.length; i += 1) {
        at = (parts[i] as PartForm).endOf(bytes, at, to);
        into[i] = at;
      }
    },
    encodePart: (part, text) => encodePart(parts, part, text),
    decodePart(part, bytes) {
      const form = formAt(parts, part);
      const end = form.check(bytes, 0, bytes.length);
      if (end !== bytes.length) throw new DamagedSegment('more bytes than the part of a key has');
      return form.format(bytes, 0, end);
    },
  };
}

function kindsOf(
  keyKind: KeyKind,
  partKinds: readonly SimpleKeyKind[] | null,
): readonly SimpleKeyKind[] {
  if (keyKind !== 'crosskey') {
    if (partKinds === null) return [keyKind];
    throw new RangeError(`keys of kind ${keyKind} have no parts, but were given ${partKinds}`);
  }
  if (partKinds?.length === 2 || partKinds?.length === 3) return partKinds;
  throw new RangeError(`a cross-key must have two or three parts, not ${partKinds?.length ?? 0}`);
}

/** Returns the position of part `i` of a key. */
export function positionOf(kinds: readonly SimpleKeyKind[], i: number): PartPosition {
  if (kinds.length === 1) return 'alone';
  const next = kinds[i + 1];
  if (next === undefined) return 'last';
  return next === 'text' || next === 'country' ? 'beforeText' : 'beforeBytes';
}

const partForm = (kind: SimpleKeyKind, position: PartPosition): PartForm =>
  kind === 'text' ? textPart(position) : bytePart(kind, position);

function formAt(parts: readonly PartForm[], part: number): PartForm {
  const form = parts[part];
  if (form === undefined) throw new RangeError(`no part ${part} in a key of ${parts.length}`);
  return form;
}

function shapesOf(parts: readonly PartForm[]): readonly KeyShape[] | null {
  let joined: readonly KeyShape[] = [{ length: 0, fields: [], tags: [] }];
  for (const { shapes } of parts) {
    if (shapes === null) return null;
    joined = joinShapes(joined, shapes);
  }
  return joined;
}

type Encoders = Pick<KeyCodec, 'encodeAscii' | 'encodeIfKey'>;

function encodersOf(parts: readonly PartForm[]): Encoders {
  const maxBytes = parts.length === 1 ? LIMITS.textKeyBytes : LIMITS.crossKeyBytes;
  const nothing = new Uint8Array(0);
  const scan: KeyScan = { source: nothing, at: 0, to: 0, into: nothing, out: 0 };
  const encodeAscii: KeyCodec['encodeAscii'] = (bytes, from, to, into, at) => {
    if (to - from > maxBytes) return NO_KEY;
    scan.source = bytes;
    scan.at = from;
    scan.to = to;
    scan.into = into;
    scan.out = at;
    const result = scanParts(parts, scan);
    return result === READ ? scan.out - at : result;
  };
  // One byte more than the longest key, so that longer text is recognized as too long.
  const source = new Uint8Array(maxBytes + 1);
  const compact = new Uint8Array(maxBytes + 1);
  return {
    encodeAscii,
    encodeIfKey(text) {
      const length = writeUtf8(text, source);
      const written = encodeAscii(source, 0, length, compact, 0);
      return written < 0 ? null : compact.slice(0, written);
    },
  };
}

function scanParts(parts: readonly PartForm[], scan: KeyScan): number {
  const { source, to } = scan;
  const last = parts.length - 1;
  for (let i = 0; i <= last; i += 1) {
    const result = (parts[i] as PartForm).scan(scan);
    if (result !== READ) return result;
    if (i === last) break;
    if (scan.at >= to || source[scan.at] !== BACKSLASH) return NO_KEY;
    scan.at += 1;
    // Two backslashes are an escape, which belongs to the previous part (decision 31).
    if (source[scan.at] === BACKSLASH) return NO_KEY;
  }
  return scan.at === to ? READ : NO_KEY;
}

const UTF8 = new TextEncoder();

/**
 * Writes the text as UTF-8, cut to the available room. Text with a lone surrogate is written as
 * invalid UTF-8.
 */
function writeUtf8(text: string, into: Uint8Array): number {
  const length = Math.min(text.length, into.length);
  for (let i = 0; i < length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= 0x80) return writeUnicode(text, into);
    into[i] = code;
  }
  return length;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function writeUnicode(text: string, into: Uint8Array): number {
  const { read, written } = UTF8.encodeInto(text, into);
  if (read < text.length || LONE_SURROGATE.test(text)) {
    into.fill(0xff);
    return into.length;
  }
  return written;
}

function encodePart(parts: readonly PartForm[], part: number, text: string): Uint8Array | null {
  const form = formAt(parts, part);
  const raw = parts.length > 1 ? joinCrossKey([text]) : text;
  if (part > 0 && raw.startsWith('\\')) return null;
  // Append any next part: all that matters is that there is one.
  const next = part < parts.length - 1 ? '\\A' : '';
  const source = new Uint8Array(LIMITS.crossKeyBytes + 1);
  const to = writeUtf8(raw + next, source);
  const scan: KeyScan = { source, at: 0, to, into: new Uint8Array(to), out: 0 };
  const isPart = form.scan(scan) === READ && scan.at === to - next.length;
  return isPart ? scan.into.slice(0, scan.out) : null;
}

// Checks the total length because three parts of text can be too long together; their compact form
// is as long as their raw text.
function checkKey(parts: readonly PartForm[], bytes: Uint8Array, from: number, to: number): void {
  if (to - from > LIMITS.crossKeyBytes) throw new DamagedSegment('a key is too long');
  let at = from;
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i] as PartForm;
    if (i > 0 && part.shapes === null && bytes[at] === BACKSLASH) {
      throw new DamagedSegment('a later part of a key begins with a backslash');
    }
    at = part.check(bytes, at, to);
  }
  if (at !== to) throw new DamagedSegment('more bytes than a key has');
}

function decodeKey(parts: readonly PartForm[], bytes: Uint8Array): string {
  checkKey(parts, bytes, 0, bytes.length);
  let at = 0;
  const texts = parts.map((part) => {
    const from = at;
    at = part.endOf(bytes, at, bytes.length);
    return part.format(bytes, from, at);
  });
  return texts.length === 1 ? (texts[0] ?? '') : joinCrossKey(texts);
}
