import type { KeyList } from '../keys/key-list.ts';
import type { Readings } from './readings.ts';

/** Consecutive keys, ascending, and their readings, whose ordinals are ranks in the keys. */
export type KeyRange = { readonly keys: KeyList; readonly readings: Readings };
