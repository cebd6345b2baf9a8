import { formatHexBytes } from '../../../domain/keys/hex-bytes.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { type ByteKind, hasTag, KEY_LENGTHS } from '../../keys/byte-part.ts';
import { positionOf } from '../../keys/key-codec.ts';
import { isBeforeAnother, type PartPosition } from '../../keys/part-form.ts';
import { KEY_END, type Place, run, tag } from './place.ts';
import { textPlace } from './text-places.ts';

/** Returns the place where keys of these kinds begin to spell their raw form. */
export function rawPlaces(kinds: readonly SimpleKeyKind[]): Place {
  let place = KEY_END;
  for (let i = kinds.length - 1; i >= 0; i -= 1) {
    const kind = kinds[i] as SimpleKeyKind;
    const position = positionOf(kinds, i);
    place =
      kind === 'text'
        ? textPlace({ position, spell: (byte) => byte, isOpen: false }, place)
        : bytePlaces(kind, position, place);
  }
  return place;
}

const hexByte = (byte: number): string => formatHexBytes([byte]);

const hexRun = (count: number, before: string, after: string) => ({
  count,
  before,
  after,
  between: '.',
  spell: hexByte,
});

function bytePlaces(kind: ByteKind, position: PartPosition, next: Place): Place {
  const separator = isBeforeAnother(position) ? '\\' : '';
  const { short, long } = KEY_LENGTHS[kind];
  if (kind === 'country') {
    const letters = { count: short, before: '', between: '', after: separator };
    return run({ ...letters, spell: (byte) => String.fromCharCode(byte) }, next);
  }
  if (long === undefined) return run(hexRun(short, '', separator), next);
  const isSubnet = kind === 'subnet';
  const behind = isSubnet ? run(hexRun(1, '/', separator), next) : next;
  const after = isSubnet ? '' : separator;
  const rest = run(hexRun(long - short, '.', after), behind);
  const further = hasTag(kind, position) ? tag(after, behind, rest) : rest;
  return run(hexRun(short, '', ''), further);
}
