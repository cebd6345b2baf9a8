import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { formatHex, scanHexBytes } from './hex-digits.ts';
import { fieldsOf, type KeyShape } from './key-shape.ts';
import {
  isBeforeAnother,
  type KeyScan,
  NO_KEY,
  type PartForm,
  type PartPosition,
  READ,
} from './part-form.ts';

/** Kinds whose raw text is hexadecimal bytes, or letters that take one byte each. */
export type ByteKind = Exclude<SimpleKeyKind, 'text'>;

/**
 * The number of bytes of a raw key. If there are two lengths, the text of a long key continues with
 * `.` where that of a short one ends, or continues with `/` (subnets) or `\` (another part), both
 * of which sort after `.`. So a tag after `short` bytes preserves the order of the texts. A part
 * that ends the key needs no tag: the short form sorts first, as its text does.
 */
export type Lengths = { readonly short: number; readonly long?: number };

export const KEY_LENGTHS: Readonly<Record<ByteKind, Lengths>> = {
  ipv4: { short: 4 },
  ipv6: { short: 16 },
  ip: { short: 4, long: 16 },
  port: { short: 2 },
  protocol: { short: 1 },
  mac: { short: 6 },
  subnet: { short: 4, long: 16 },
  interface: { short: 8, long: 20 },
  asn: { short: 4 },
  country: { short: 2 },
};

/** Values of the tag. */
export const GOES_ON = 0;
export const ENDS = 1;

/** The layout of a kind at its position: everything that scanning and checking need to know. */
type Layout = {
  readonly kind: ByteKind;
  readonly short: number;
  readonly long: number;
  readonly isTagged: boolean;
  readonly shapes: readonly [KeyShape] | readonly [KeyShape, KeyShape];
};

/** Returns the compact form of a part of this kind. */
export function bytePart(kind: ByteKind, position: PartPosition): PartForm {
  const layout = layoutOf(kind, position);
  const check = (bytes: Uint8Array, from: number, to: number) => {
    const shape = shapeAt(layout, bytes, from, to);
    checkPart({ layout, shape, bytes, from, to });
    return from + shape.length;
  };
  return {
    shapes: layout.shapes,
    scan: scannerOf(layout),
    check,
    endOf: (bytes, from, to) => from + shapeAt(layout, bytes, from, to).length,
    format: (bytes, from, to) => formatPart(layout, bytes, from, to),
  };
}

function layoutOf(kind: ByteKind, position: PartPosition): Layout {
  const { short, long } = KEY_LENGTHS[kind];
  const prefix = kind === 'subnet' ? 1 : 0;
  if (long === undefined) {
    const shape: KeyShape = { length: short, fields: fieldsOf(0, short), tags: [] };
    return { kind, short, long: short, isTagged: false, shapes: [shape] };
  }
  const isTagged = hasTag(kind, position);
  const tag = isTagged ? 1 : 0;
  const first = fieldsOf(0, short);
  const shapes = [
    {
      length: short + tag + prefix,
      fields: [...first, ...fieldsOf(short + tag, prefix)],
      tags: isTagged ? [{ at: short, value: ENDS }] : [],
    },
    {
      length: long + tag + prefix,
      fields: [...first, ...fieldsOf(short + tag, long - short), ...fieldsOf(long + tag, prefix)],
      tags: isTagged ? [{ at: short, value: GOES_ON }] : [],
    },
  ] as const;
  return { kind, short, long, isTagged, shapes };
}

/** Whether parts of this kind, which has two lengths, have a tag after the shorter length. */
export const hasTag = (kind: ByteKind, position: PartPosition): boolean =>
  kind === 'subnet' || isBeforeAnother(position);

/** Returns the shape of the part at `from`, assuming that the part is complete. */
function shapeAt(layout: Layout, bytes: Uint8Array, from: number, to: number): KeyShape {
  const { shapes, short, isTagged } = layout;
  const [shorter, longer] = shapes;
  if (longer === undefined) return shorter;
  if (isTagged) return bytes[from + short] === ENDS ? shorter : longer;
  return to - from <= short ? shorter : longer;
}

type Checked = {
  readonly layout: Layout;
  readonly shape: KeyShape;
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
};

function checkPart({ layout, shape, bytes, from, to }: Checked): void {
  const end = from + shape.length;
  if (end > to) throw noKey(layout.kind);
  const [tag] = shape.tags;
  if (tag !== undefined && bytes[from + tag.at] !== tag.value) throw noKey(layout.kind);
  if (layout.kind === 'subnet') {
    const [shorter] = layout.shapes;
    const maxBits = 8 * (shape === shorter ? layout.short : layout.long);
    if ((bytes[end - 1] ?? 0) > maxBits) throw noKey(layout.kind);
  } else if (layout.kind === 'country') {
    if (!isLetter(bytes[from]) || !isLetter(bytes[from + 1])) throw noKey(layout.kind);
  }
}

const noKey = (kind: ByteKind) => new DamagedSegment(`the bytes of a key are none of kind ${kind}`);

const LETTER_A = 0x41;
const LETTER_Z = 0x5a;
const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= LETTER_A && byte <= LETTER_Z;

function scannerOf(layout: Layout): PartForm['scan'] {
  if (layout.kind === 'country') return scanCountry;
  const scan = (state: KeyScan) => scanAddress(layout, state);
  return layout.kind === 'subnet' ? (state) => scanSubnet(layout, state) : scan;
}

function scanCountry(scan: KeyScan): number {
  const { source, at, to, into, out } = scan;
  const first = source[at];
  const second = source[at + 1];
  if (at + 2 > to || first === undefined || second === undefined) return NO_KEY;
  if (!isLetter(first) || !isLetter(second)) return NO_KEY;
  into[out] = first;
  into[out + 1] = second;
  scan.at = at + 2;
  scan.out = out + 2;
  return READ;
}

/** Scans hexadecimal bytes, as many as one of the lengths, and writes the tag. */
function scanAddress({ short, long, isTagged }: Layout, scan: KeyScan): number {
  const { into, out } = scan;
  const count = scanHexBytes(scan, long);
  if (count !== short && count !== long) return NO_KEY;
  scan.out = out + count;
  if (!isTagged) return READ;
  if (count === long) into.copyWithin(out + short + 1, out + short, out + long);
  into[out + short] = count === short ? ENDS : GOES_ON;
  scan.out += 1;
  return READ;
}

const SLASH = 0x2f;

function scanSubnet(layout: Layout, scan: KeyScan): number {
  const { source, into, out } = scan;
  if (scanAddress(layout, scan) !== READ) return NO_KEY;
  const maxBits = 8 * (into[out + layout.short] === ENDS ? layout.short : layout.long);
  if (scan.at >= scan.to || source[scan.at] !== SLASH) return NO_KEY;
  scan.at += 1;
  if (scanHexBytes(scan, 1) !== 1 || (into[scan.out] ?? 0) > maxBits) return NO_KEY;
  scan.out += 1;
  return READ;
}

function formatPart(layout: Layout, bytes: Uint8Array, from: number, to: number): string {
  const { kind, short, isTagged } = layout;
  if (kind === 'country') return String.fromCharCode(...bytes.subarray(from, to));
  if (!isTagged) return formatHex(bytes, from, to);
  const end = kind === 'subnet' ? to - 1 : to;
  let text = formatHex(bytes, from, from + short);
  if (end > from + short + 1) text += `.${formatHex(bytes, from + short + 1, end)}`;
  return kind === 'subnet' ? `${text}/${formatHex(bytes, end, to)}` : text;
}
