import { expect } from 'vitest';
import { type BlockReadings, boundOf } from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import type { KernelQuestion } from '../../../engine/kernel/rank-keys.ts';
import type { KernelCaller } from '../../../engine/kernel/threads/worker-threads.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';

/** Smaller work runs inline, larger work in a thread. */
const INLINE_READINGS = 60_000;

export const FOREVER: KernelCaller = {
  user: 'anna',
  signal: new AbortController().signal,
};

export const callerWith = ({ signal }: AbortController): KernelCaller => ({
  ...FOREVER,
  signal,
});

/** A block in which key n has the value n + more. */
export function unit(keys: number, more = 0): BlockReadings {
  const low = Float64Array.from({ length: keys }, (_, key) => key + more);
  const values = { low, high: null };
  return {
    ids: Uint32Array.from({ length: keys }, (_, key) => key),
    column: { values, counts: null, bound: boundOf(values), countBound: keys },
    sign: 1,
  };
}

export const TOP = {
  kind: 'top',
  maxItems: 2,
  within: null,
  passing: null,
} as const satisfies KernelQuestion;

export const small = [unit(100), unit(100)];
export const large = [unit(INLINE_READINGS), unit(INLINE_READINGS, 5)];

/** `count` text keys: every `step`th number of five digits. */
export function keysOf(count: number, step: number): KeyList {
  const texts = Array.from({ length: count }, (_, i) => String(10_000 + i * step));
  return {
    bytes: Buffer.from(texts.join('')),
    ends: Uint32Array.from(texts, (_, i) => 5 * (i + 1)),
    count,
  };
}

/** `count` addresses, 128 in each network of 24 bits. */
export function addressesOf(count: number): KeyList {
  const bytes = Buffer.alloc(4 * count);
  for (let i = 0; i < count; i += 1) bytes.writeUInt32BE(0x0a_00_00_00 + 2 * i, 4 * i);
  return { bytes, ends: Uint32Array.from({ length: count }, (_, i) => 4 * (i + 1)), count };
}

export const searchFor = (pattern: string) => ({
  keyKind: 'text' as const,
  partKinds: null,
  filter: { match: pattern },
  labels: null,
});

/** Waits for work that must fail, and returns the reason. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.fail('it did not fail'),
    (reason: unknown) => reason,
  );
