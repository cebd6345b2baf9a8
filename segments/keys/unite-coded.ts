import type { Sliced } from '../../domain/sliced.ts';
import { type KeyList, keyStart } from './key-list.ts';
import { type Allocate, allocateWords } from './key-list-builder.ts';
import { type MergedRuns, mergeRuns, type RunPair } from './merge-runs.ts';

/** Leading bytes of a key that its code holds. */
const CODED = 6;
const LONGER = CODED + 1;
const LENGTHS = 8;

/**
 * Keys in order. Each has a code, a number made of its first bytes (zeros after its end) and of its
 * length, up to LONGER: 51 bits. Codes sort as the keys do, because a key comes before those that
 * begin with it. So most keys are compared as numbers. Only keys whose length is LONGER or more can
 * have the same code and yet be different. The origin of a key, which is its list and its ordinal
 * there, is one number as well.
 */
type CodedRun = {
  readonly length: number;
  readonly codes: Float64Array;
  readonly origins: Float64Array;
};

const ORDINALS = 2 ** 32;

/** Unites the keys of any lists. */
export function* uniteCoded(
  lists: readonly KeyList[],
  allocate: Allocate,
): Sliced<MergedRuns<KeyList>> {
  const runs = lists.map(codedRun);
  const merge = (pair: RunPair<CodedRun>) => mergeCoded(lists, pair);
  const { run, maps } = yield* mergeRuns(runs, merge, allocate);
  return { run: listOfRun(lists, run, allocate), maps };
}

function codedRun(list: KeyList, owner: number): CodedRun {
  const { bytes, ends, count } = list;
  const codes = new Float64Array(count);
  const origins = new Float64Array(count);
  let start = 0;
  for (let i = 0; i < count; i += 1) {
    const end = ends[i] as number;
    codes[i] = codeOf(bytes, start, end);
    origins[i] = owner * ORDINALS + i;
    start = end;
  }
  return { length: count, codes, origins };
}

function codeOf(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length >= CODED) {
    const high = ((bytes[start] as number) << 16) | ((bytes[start + 1] as number) << 8);
    const low = ((bytes[start + 3] as number) << 16) | ((bytes[start + 4] as number) << 8);
    const prefix =
      (high | (bytes[start + 2] as number)) * 0x100_0000 + (low | (bytes[start + 5] as number));
    return prefix * LENGTHS + Math.min(length, LONGER);
  }
  let prefix = 0;
  for (let i = 0; i < CODED; i += 1)
    prefix = prefix * 256 + (i < length ? (bytes[start + i] as number) : 0);
  return prefix * LENGTHS + length;
}

const isLonger = (code: number): boolean => code - LENGTHS * Math.floor(code / LENGTHS) === LONGER;

function mergeCoded(lists: readonly KeyList[], pair: RunPair<CodedRun>): CodedRun {
  const { left, right, leftPositions, rightPositions } = pair;
  const maxLength = left.length + right.length;
  const codes = new Float64Array(maxLength);
  const origins = new Float64Array(maxLength);
  let i = 0;
  let j = 0;
  let out = 0;
  while (i < left.length && j < right.length) {
    const x = left.codes[i] as number;
    const y = right.codes[j] as number;
    let order = x - y;
    if (order === 0 && isLonger(x)) {
      order = compareTails(lists, left.origins[i] as number, right.origins[j] as number);
    }
    if (order > 0) {
      codes[out] = y;
      origins[out] = right.origins[j] as number;
    } else {
      codes[out] = x;
      origins[out] = left.origins[i] as number;
      leftPositions[i] = out;
      i += 1;
    }
    if (order >= 0) {
      rightPositions[j] = out;
      j += 1;
    }
    out += 1;
  }
  for (; i < left.length; i += 1) {
    codes[out] = left.codes[i] as number;
    origins[out] = left.origins[i] as number;
    leftPositions[i] = out;
    out += 1;
  }
  for (; j < right.length; j += 1) {
    codes[out] = right.codes[j] as number;
    origins[out] = right.origins[j] as number;
    rightPositions[j] = out;
    out += 1;
  }
  return { length: out, codes, origins };
}

/** Compares two keys that share their first CODED bytes. */
function compareTails(lists: readonly KeyList[], left: number, right: number): number {
  const a = lists[Math.floor(left / ORDINALS)] as KeyList;
  const b = lists[Math.floor(right / ORDINALS)] as KeyList;
  const i = left >>> 0;
  const j = right >>> 0;
  const start = keyStart(a, i);
  const other = keyStart(b, j);
  const length = (a.ends[i] as number) - start;
  const otherLength = (b.ends[j] as number) - other;
  const shared = Math.min(length, otherLength);
  for (let at = CODED; at < shared; at += 1) {
    const difference = (a.bytes[start + at] as number) - (b.bytes[other + at] as number);
    if (difference !== 0) return difference;
  }
  return length - otherLength;
}

function listOfRun(lists: readonly KeyList[], run: CodedRun, allocate: Allocate): KeyList {
  const ends = allocateWords(allocate, run.length);
  let end = 0;
  for (let i = 0; i < run.length; i += 1) {
    const origin = run.origins[i] as number;
    const list = lists[Math.floor(origin / ORDINALS)] as KeyList;
    end += (list.ends[origin >>> 0] as number) - keyStart(list, origin >>> 0);
    ends[i] = end;
  }
  const bytes = new Uint8Array(allocate(end));
  let at = 0;
  for (let i = 0; i < run.length; i += 1) {
    const origin = run.origins[i] as number;
    const list = lists[Math.floor(origin / ORDINALS)] as KeyList;
    const from = keyStart(list, origin >>> 0) - at;
    for (const to = ends[i] as number; at < to; at += 1)
      bytes[at] = list.bytes[from + at] as number;
  }
  return { bytes, ends, count: run.length };
}
