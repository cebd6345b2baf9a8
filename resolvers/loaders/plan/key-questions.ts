import type { TimeBound } from '../../../db/read-session.ts';
import type { Exact } from '../../../domain/exact.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import type { SegmentShape } from '../../../segments/shape.ts';
import type { MeterRead } from './meter-read.ts';

/** A counter group as its segments are read. */
export type SegmentGroup = {
  readonly groupId: number;
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
};

/** The cross-keys that have a key, in raw form, as one of these parts, counted from 0. */
export type KeysWithin = { readonly parts: readonly number[]; readonly key: string };

/** Which keys may be listed. Two of the same name are the same. */
export type KeysPassing = {
  readonly name: string;
  readonly match: (keys: KeyList) => Promise<KeySet>;
};

/** Which keys count at all (null: every one), and which of these may be listed (null: all). */
export type KeySelection = {
  readonly within: KeysWithin | null;
  readonly passing: KeysPassing | null;
};

/** Keys are given, and answered, in raw form. */
export type KeyQuestion =
  | (KeySelection & { readonly kind: 'top'; readonly maxItems: number })
  | (KeySelection & { readonly kind: 'ranks'; readonly keys: readonly string[] })
  | { readonly kind: 'values'; readonly keys: readonly string[] };

export type ValuedKey = { readonly key: string; readonly value: Exact };

/** The largest keys in the order of decision 24, and what is left. null: nothing has a reading. */
export type TopKeys = {
  readonly kind: 'top';
  readonly listed: readonly ValuedKey[];
  readonly total: Exact | null;
  /** All keys that are not listed, also those that do not pass (decision 25). */
  readonly others: Exact | null;
  /** Those of them that pass. */
  readonly othersMatching: Exact | null;
  /** How many keys pass. */
  readonly keyCount: number;
};

/** rank: its place among the keys that pass, from 1. */
export type RankedValue = { readonly value: Exact; readonly rank: number };

export type KeyAnswer =
  | TopKeys
  | { readonly kind: 'ranks'; readonly ranks: readonly (RankedValue | null)[] }
  | { readonly kind: 'values'; readonly values: readonly (Exact | null)[] };

/** A question to the readings of one group. */
export type SegmentQuestion = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly question: KeyQuestion;
};

export type Bounded = { readonly bound: TimeBound | null };
