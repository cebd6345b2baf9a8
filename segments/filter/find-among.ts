import type { KeyList } from '../keys/key-list.ts';
import type { KeySet } from './key-set.ts';

/** Which of the keys `among` something finds, as a new set. */
export type FindAmong = (keys: KeyList, among: KeySet) => KeySet;
