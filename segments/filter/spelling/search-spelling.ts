import { foldCase } from '../../../domain/filters/search-text.ts';
import { defaultLabel } from '../../../domain/keys/default-label.ts';
import { formatHexBytes } from '../../../domain/keys/hex-bytes.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { formatReadable } from '../../../domain/keys/key-text.ts';
import { type ByteKind, hasTag, KEY_LENGTHS } from '../../keys/byte-part.ts';
import { positionOf } from '../../keys/key-codec.ts';
import { isBeforeAnother, type PartPosition } from '../../keys/part-form.ts';
import { isLongPart } from './key-variants.ts';
import { longLength, longWriter, writeAsn, writeInterfaceNumber } from './part-writers.ts';
import {
  adding,
  KEY_END,
  pair,
  run,
  type SpellingState,
  silent,
  writing,
} from './spelling-state.ts';
import { textSpelling } from './text-spelling.ts';

/**
 * readable: the readable form of a key. label: its label while no user has given it one. both: for
 * each part the label, a backslash and the readable form, so that a text without a backslash is
 * searched for in both at once.
 */
export type SearchedText = 'readable' | 'label' | 'both';

/** Whether keys of these kinds may have a default label other than their readable form. */
export const haveDefaultLabels = (kinds: readonly SimpleKeyKind[]): boolean =>
  kinds.some((kind) => kind === 'port' || kind === 'country');

/**
 * Returns the state before the first byte of keys of these kinds and one variant, folded the
 * way searches are. Each part is folded by itself, because the backslash between parts combines
 * with no other character.
 */
export function searchSpelling(
  kinds: readonly SimpleKeyKind[],
  variant: number,
  text: SearchedText,
): SpellingState {
  let state = KEY_END;
  for (let i = kinds.length - 1; i >= 0; i -= 1) {
    const kind = kinds[i] as SimpleKeyKind;
    const position = positionOf(kinds, i);
    const isLong = isLongPart(variant, i);
    state =
      kind === 'text'
        ? textSpelling({ position, spell: lowerAscii, isOpen: true }, state)
        : byteSpelling({ kind, position, isLong, text }, state);
  }
  return state;
}

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

/** Folds an ASCII byte. Null beyond ASCII, where characters combine. */
function lowerAscii(byte: number): number | null {
  if (byte >= 0x80) return null;
  return byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte;
}

type SearchedPart = {
  readonly kind: ByteKind;
  readonly position: PartPosition;
  readonly isLong: boolean;
  readonly text: SearchedText;
};

function byteSpelling(
  { kind, position, isLong, text }: SearchedPart,
  next: SpellingState,
): SpellingState {
  const after = isBeforeAnother(position) ? '\\' : '';
  const { short, long } = KEY_LENGTHS[kind];
  const tags = long !== undefined && hasTag(kind, position) ? 1 : 0;
  if (isLong || kind === 'ipv6') {
    const part = { kind, short, tags };
    return silent(longLength(part) - 1, writing(longWriter(part), after, next));
  }
  const name = (raw: string): string => `${foldedName(kind, raw, text)}${after}`;
  const behind = silent(tags, next);
  switch (kind) {
    case 'ipv4':
    case 'ip':
      return decimalRun(4, '', after, behind);
    case 'subnet':
      return decimalRun(4, '', '', silent(tags, decimalRun(1, '/', after, next)));
    case 'interface':
      return decimalRun(4, '', '', silent(3, writing(writeInterfaceNumber, after, behind)));
    case 'mac':
      return run({ count: short, spell: lowerHex, before: '', between: ':', after }, next);
    case 'asn':
      return silent(short - 1, writing(writeAsn, after, next));
    case 'protocol':
      return adding((byte) => name(formatHexBytes([byte])), next);
    case 'port':
      return pair((first, second) => name(formatHexBytes([first, second])), next);
    case 'country':
      return pair((first, second) => name(String.fromCharCode(first, second)), next);
    default:
      return kind satisfies never;
  }
}

function foldedName(kind: ByteKind, raw: string, text: SearchedText): string {
  const readable = formatReadable(kind, raw);
  const label = text === 'readable' ? null : defaultLabel(kind, raw);
  if (label === null) return foldCase(readable);
  return foldCase(text === 'label' ? label : `${label}\\${readable}`);
}

const lowerHex = (byte: number): string => formatHexBytes([byte]).toLowerCase();

const decimalRun = (
  count: number,
  before: string,
  after: string,
  next: SpellingState,
): SpellingState => run({ count, spell: String, before, between: '.', after }, next);
