import { formatHexBytes } from '../../../domain/keys/hex-bytes.ts';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { type ByteKind, hasTag, KEY_LENGTHS } from '../../keys/byte-part.ts';
import { positionOf } from '../../keys/key-codec.ts';
import { isBeforeAnother, type PartPosition } from '../../keys/part-form.ts';
import { KEY_END, run, type SpellingState, tag } from './spelling-state.ts';
import { textSpelling } from './text-spelling.ts';

/** Returns the state before the first byte of keys of these kinds, which spell their raw form. */
export function rawSpelling(kinds: readonly SimpleKeyKind[]): SpellingState {
  let state = KEY_END;
  for (let i = kinds.length - 1; i >= 0; i -= 1) {
    const kind = kinds[i] as SimpleKeyKind;
    const position = positionOf(kinds, i);
    state =
      kind === 'text'
        ? textSpelling({ position, spell: (byte) => byte, isOpen: false }, state)
        : byteSpelling(kind, position, state);
  }
  return state;
}

const hexByte = (byte: number): string => formatHexBytes([byte]);

const hexRun = (count: number, before: string, after: string) => ({
  count,
  before,
  after,
  between: '.',
  spell: hexByte,
});

function byteSpelling(kind: ByteKind, position: PartPosition, next: SpellingState): SpellingState {
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
