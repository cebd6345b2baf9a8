import type { TimeBound } from '../../../db/session/read-session.ts';
import type { Interval } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import type { KeyList } from '../../../segments/keys/key-list.ts';
import type { SegmentShape } from '../../../segments/shape.ts';
import type { Change } from '../../../topk/select/rank-changes.ts';
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

/**
 * How keys changed since another window. growth: keys with more, by how much; decline: keys with
 * less, those without a reading now too; new: keys without a reading then, by what they have now.
 */
export type ChangesQuestion = KeySelection & {
  readonly kind: 'changes';
  readonly change: Change;
  /** The window that is compared with. */
  readonly since: Interval;
  readonly maxItems: number;
};

/** Which of a key's topper buckets ranks it. */
export type SeriesQuestion = KeySelection & {
  readonly kind: 'series';
  /** null: the largest. */
  readonly percentile: number | null;
  /** How many topper buckets there are: those without a reading of a counter count as 0. */
  readonly bucketCount: number;
  readonly maxItems: number;
};

/** The largest keys of each step of the interval; steps are counted from 1970 and clipped to it. */
export type TrendQuestion = KeySelection & {
  readonly kind: 'trend';
  readonly stepSeconds: number;
  readonly maxItems: number;
};

/** Keys are given, and answered, in raw form. */
export type KeyQuestion = BlockQuestion | SeriesQuestion | TrendQuestion;

/** What blocks alone answer. */
export type BlockQuestion =
  | (KeySelection & { readonly kind: 'top'; readonly maxItems: number })
  | ChangesQuestion
  /** Keys that were chosen by something else than what they come to. */
  | (KeySelection & { readonly kind: 'chosen'; readonly keys: readonly string[] })
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

/** A key that was ranked by something else than its value. */
export type RankedKey = {
  readonly key: string;
  /** What it comes to in the window; null: no reading, which only a decline lists. */
  readonly value: Exact | null;
  /** Of a series, the value that ranks it; of changes, the value then (null: no reading). */
  readonly beside: Exact | null;
};

/** The first keys in the order of what ranks them, and what is left. */
export type RankedKeys = Omit<TopKeys, 'kind' | 'listed'> & {
  readonly kind: 'ranked';
  readonly listed: readonly RankedKey[];
};

/** Of each step, oldest first, also of those without readings. */
export type TrendAnswer = { readonly kind: 'trend'; readonly steps: readonly TopKeys[] };

/** The values of chosen keys in their order, and what is left. */
export type ChosenKeys = Omit<TopKeys, 'kind' | 'listed'> & {
  readonly kind: 'chosen';
  readonly values: readonly (Exact | null)[];
};

export type KeyAnswer =
  | TopKeys
  | RankedKeys
  | TrendAnswer
  | ChosenKeys
  | { readonly kind: 'ranks'; readonly ranks: readonly (RankedValue | null)[] }
  | { readonly kind: 'values'; readonly values: readonly (Exact | null)[] };

/** A question to the readings of one group. */
export type SegmentQuestion = {
  readonly group: SegmentGroup;
  readonly read: MeterRead;
  readonly question: BlockQuestion;
};

export type Bounded = { readonly bound: TimeBound | null };
