import type { KeySet } from '../../../segments/filter/key-set.ts';

/** Returns the number of keys in the set. */
export function sizeOfKeySet({ words }: KeySet): number {
  let size = 0;
  for (let i = 0; i < words.length; i += 1) {
    let word = words[i] as number;
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    size += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return size;
}
