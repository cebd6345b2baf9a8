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

/** A key that the set has no room for is not in it. */
export function hasKey({ starts, bits }: KeyBits, shard: number, keyId: number): boolean {
  const bit = (starts[shard] ?? 0) + keyId;
  if (bit >= (starts[shard + 1] ?? 0)) return false;
  return (((bits[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1;
}
