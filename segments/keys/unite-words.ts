import type { Sliced } from '../../domain/sliced.ts';
import type { KeyList } from './key-list.ts';
import { type Allocate, evenEnds } from './key-list-builder.ts';
import { type MergedRuns, mergeRuns, type RunPair } from './merge-runs.ts';

/** Bytes of the keys that this is for: IPv4 addresses and numbers of autonomous systems. */
const WORD = 4;

/** Unites the keys of lists whose keys all have four bytes; null if any key does not. */
export function* uniteWords(
  lists: readonly KeyList[],
  allocate: Allocate,
): Sliced<MergedRuns<KeyList> | null> {
  const runs: Uint32Array[] = [];
  for (const list of lists) {
    const run = wordsOf(list);
    if (run === null) return null;
    runs.push(run);
  }
  const { run, maps } = yield* mergeRuns(runs, mergeWords, allocate);
  return { run: listOfWords(run, allocate), maps };
}

function wordsOf({ bytes, ends, count }: KeyList): Uint32Array | null {
  if (count > 0 && ends[count - 1] !== WORD * count) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) {
    if (ends[i] !== WORD * (i + 1)) return null;
    words[i] = view.getUint32(WORD * i);
  }
  return words;
}

function listOfWords(words: Uint32Array, allocate: Allocate): KeyList {
  const count = words.length;
  const bytes = new Uint8Array(allocate(WORD * count));
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < count; i += 1) view.setUint32(WORD * i, words[i] as number);
  return { bytes, ends: evenEnds(WORD, count), count };
}

/**
 * Merges without branches. Which of two keys is less is as random as the keys are, and a
 * mispredicted branch costs more than everything else. So both positions are written each time, and
 * that of the key that is not taken is written again.
 */
function mergeWords({
  left,
  right,
  leftPositions,
  rightPositions,
}: RunPair<Uint32Array>): Uint32Array {
  const merged = new Uint32Array(left.length + right.length);
  let i = 0;
  let j = 0;
  let out = 0;
  while (i < left.length && j < right.length) {
    const x = (left[i] as number) | 0;
    const y = (right[j] as number) | 0;
    leftPositions[i] = out;
    rightPositions[j] = out;
    const isLeftLess = borrow(x, y);
    merged[out] = y ^ ((x ^ y) & -isLeftLess);
    i = (i + 1 - borrow(y, x)) | 0;
    j = (j + 1 - isLeftLess) | 0;
    out = (out + 1) | 0;
  }
  for (; i < left.length; i += 1) {
    leftPositions[i] = out;
    merged[out] = left[i] as number;
    out += 1;
  }
  for (; j < right.length; j += 1) {
    rightPositions[j] = out;
    merged[out] = right[j] as number;
    out += 1;
  }
  return merged.subarray(0, out);
}

/**
 * Returns 1 if x is less than y as unsigned numbers, otherwise 0 (Hacker's Delight, section 2-12).
 */
const borrow = (x: number, y: number): number => ((~x & y) | (~(x ^ y) & ((x - y) | 0))) >>> 31;
