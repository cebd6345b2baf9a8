/** A set of keys: bit `starts[shard] + keyId` says whether a key is in it. */
export type KeyBits = { readonly starts: Uint32Array; readonly bits: Uint32Array };

/** An empty set with room for `sizes[shard]` keys of each shard, in memory that threads share. */
export function emptyKeyBits(sizes: readonly number[]): KeyBits {
  const starts = new Uint32Array(sizes.length + 1);
  for (const [shard, size] of sizes.entries()) starts[shard + 1] = (starts[shard] ?? 0) + size;
  const words = Math.ceil((starts.at(-1) ?? 0) / 32);
  return { starts, bits: new Uint32Array(new SharedArrayBuffer(words * 4)) };
}

export function addKey({ starts, bits }: KeyBits, shard: number, keyId: number): void {
  const bit = (starts[shard] ?? 0) + keyId;
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
}

export function removeKey({ starts, bits }: KeyBits, shard: number, keyId: number): void {
  const bit = (starts[shard] ?? 0) + keyId;
  bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
}

/** Puts in every id there is room for, also those that no key has. */
export function addAllKeys({ bits }: KeyBits): void {
  bits.fill(0xffff_ffff);
}

/** The same keys in a set with room for more. */
export function growKeyBits(before: KeyBits, sizes: readonly number[]): KeyBits {
  const grown = emptyKeyBits(sizes);
  for (let shard = 0; shard + 1 < before.starts.length; shard += 1) {
    const size = (before.starts[shard + 1] ?? 0) - (before.starts[shard] ?? 0);
    for (let keyId = 0; keyId < size; keyId += 1) {
      if (hasKey(before, shard, keyId)) addKey(grown, shard, keyId);
    }
  }
  return grown;
}

/** A key that the set has no room for is not in it. */
export function hasKey({ starts, bits }: KeyBits, shard: number, keyId: number): boolean {
  const bit = (starts[shard] ?? 0) + keyId;
  if (bit >= (starts[shard + 1] ?? 0)) return false;
  return (((bits[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
}
