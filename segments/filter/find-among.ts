import type { Sliced } from '../../domain/sliced.ts';
import type { KeyList } from '../keys/key-list.ts';
import type { KeySet } from './key-set.ts';

/** Finds some of the keys in `among` and returns them as a new set. */
export type FindAmong = (keys: KeyList, among: KeySet) => Sliced<KeySet>;
