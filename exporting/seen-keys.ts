const FIRST_BYTES = 1024;

/**
 * Which keys of a group were met: a bit for each, as their ids are dense within a shard. Five
 * million keys take 625 kB.
 */
export class SeenKeys {
  size = 0;
  readonly #byShard: Uint8Array[] = [];

  /** Notes a key; whether it is the first time. */
  add(shard: number, keyId: number): boolean {
    const at = keyId >>> 3;
    const bit = 1 << (keyId & 7);
    const bits = this.#bitsFor(shard, at);
    if (((bits[at] ?? 0) & bit) !== 0) return false;
    bits[at] = (bits[at] ?? 0) | bit;
    this.size += 1;
    return true;
  }

  #bitsFor(shard: number, at: number): Uint8Array {
    const known = this.#byShard[shard] ?? new Uint8Array(FIRST_BYTES);
    const bits = at < known.length ? known : grown(known, at + 1);
    this.#byShard[shard] = bits;
    return bits;
  }
}

function grown(bits: Uint8Array, atLeast: number): Uint8Array {
  const larger = new Uint8Array(Math.max(atLeast, 2 * bits.length));
  larger.set(bits);
  return larger;
}
