/**
 * Compact keys in ascending order, each once. Key i has the bytes from `ends[i - 1]` (0 for the
 * first) to before `ends[i]`, and its ordinal is i. The arrays may be larger than needed.
 */
export type KeyList = {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly count: number;
};

export const keyStart = ({ ends }: KeyList, i: number): number =>
  i === 0 ? 0 : (ends[i - 1] as number);

/** Returns the bytes of key i as a view, not a copy. */
export const keyAt = (list: KeyList, i: number): Uint8Array =>
  list.bytes.subarray(keyStart(list, i), list.ends[i]);

/**
 * Returns a negative number, zero or a positive number if key i of `a` sorts before, equals or
 * sorts after key j of `b`.
 */
export function compareKeys(a: KeyList, i: number, b: KeyList, j: number): number {
  const left = keyStart(a, i);
  const right = keyStart(b, j);
  const length = (a.ends[i] as number) - left;
  const other = (b.ends[j] as number) - right;
  const shared = Math.min(length, other);
  for (let at = 0; at < shared; at += 1) {
    const difference = (a.bytes[left + at] as number) - (b.bytes[right + at] as number);
    if (difference !== 0) return difference;
  }
  return length - other;
}

/** The ordinals from `from` to before `to`. */
export type OrdinalRange = { readonly from: number; readonly to: number };

/**
 * Where a key is or would be: the first ordinal whose key is not less, and whether the key is
 * present.
 */
type KeyPosition = { readonly ordinal: number; readonly isThere: boolean };

export const findKey = (list: KeyList, bytes: Uint8Array): KeyPosition =>
  findOneKey(list, oneKey(bytes));

/** The same for a list of one key, which can be searched for in many lists. */
export function findOneKey(list: KeyList, key: KeyList): KeyPosition {
  const ordinal = firstNotBelow(list, key);
  const isThere = ordinal < list.count && compareKeys(list, ordinal, key, 0) === 0;
  return { ordinal, isThere };
}

/** Returns a list of one key. */
export const oneKey = (bytes: Uint8Array): KeyList => ({
  bytes,
  ends: Uint32Array.of(bytes.length),
  count: 1,
});

const firstNotBelow = (list: KeyList, key: KeyList): number =>
  firstOrdinal(list, (ordinal) => compareKeys(list, ordinal, key, 0) >= 0);

/**
 * Returns the first ordinal that passes a test, which all later ordinals pass too; the count if
 * none does.
 */
export function firstOrdinal(list: KeyList, passes: (ordinal: number) => boolean): number {
  let from = 0;
  let to = list.count;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (passes(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Returns the keys that begin with these bytes; all keys if there are no bytes. */
export const prefixRange = (list: KeyList, bytes: Uint8Array): OrdinalRange =>
  rangeOfPrefixes(list, bytes, bytes);

/**
 * Returns the keys that begin with the first `bits` bits of these bytes. For a 4-byte address,
 * these may include 16-byte addresses: in a group that has both, the length of the key tells them
 * apart.
 */
export function networkRange(list: KeyList, bytes: Uint8Array, bits: number): OrdinalRange {
  const first = bytes.slice(0, Math.ceil(bits / 8));
  const last = first.slice();
  const at = first.length - 1;
  const host = 0xff >> (bits - 8 * at);
  if (at >= 0) {
    first[at] = (first[at] as number) & ~host;
    last[at] = (last[at] as number) | host;
  }
  return rangeOfPrefixes(list, first, last);
}

/**
 * Returns the keys from the first that begins with `first`, or is larger, to the last that begins
 * with `last`.
 */
function rangeOfPrefixes(list: KeyList, first: Uint8Array, last: Uint8Array): OrdinalRange {
  const next = afterPrefix(last);
  const from = firstNotBelow(list, oneKey(first));
  const to = next === null ? list.count : firstNotBelow(list, oneKey(next));
  return { from, to };
}

/** Returns the smallest bytes above all that begin with these; null if there are none. */
function afterPrefix(bytes: Uint8Array): Uint8Array | null {
  const at = bytes.findLastIndex((byte) => byte < 0xff);
  if (at < 0) return null;
  const next = bytes.slice(0, at + 1);
  next[at] = (next[at] as number) + 1;
  return next;
}
