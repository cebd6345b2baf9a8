import type { Interval } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import type { KeyList } from '../../segments/keys/key-list.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import type { RankedValue } from '../kernel/rank-keys.ts';
import type { Change } from '../kernel/select/rank-changes.ts';
import type { MeterScan } from './meter-scan.ts';

/** A counter group as its segments are read. */
export type SegmentGroup = {
  readonly groupId: number;
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
};

/** The cross-keys that have a key, in raw form, as one of these parts, counted from 0. */
export type KeysWithin = { readonly parts: readonly number[]; readonly key: string };

/**
 * A filter of the keys that may be listed. Filters of the same name are the same. isPriced: it
 * costs by the number of keys, so that it must be given no key that may not be seen.
 */
export type NamedMatcher = {
  readonly name: string;
  readonly isPriced?: boolean;
  readonly match: (keys: KeyList) => Promise<KeySet>;
};

/** Which keys count at all (null: every key), and which of these may be listed (null: all). */
export type KeySelection = {
  readonly within: KeysWithin | null;
  readonly passing: NamedMatcher | null;
};

/**
 * How keys changed since another window. growth: keys with a larger value, by the difference;
 * decline: keys with a smaller value, including keys without a reading now; new: keys without a
 * reading then, by their value now.
 */
export type ChangesQuestion = KeySelection & {
  readonly kind: 'changes';
  readonly change: Change;
  /** The window to compare with. */
  readonly since: Interval;
  readonly maxItems: number;
};

/** Ranks keys by one of their topper buckets. */
export type SeriesQuestion = KeySelection & {
  readonly kind: 'series';
  /** null: the largest topper bucket. */
  readonly percentile: number | null;
  /** Number of topper buckets: for a counter, those without a reading count as 0. */
  readonly bucketCount: number;
  readonly maxItems: number;
};

/** Asks for the largest keys of each step; steps are counted from 1970, clipped to the interval. */
export type TrendQuestion = KeySelection & {
  readonly kind: 'trend';
  readonly stepSeconds: number;
  readonly maxItems: number;
};

/** A question about keys. Questions and answers have keys in raw form. */
export type KeyQuestion = BlockQuestion | SeriesQuestion | TrendQuestion;

/** Asks for the largest keys. */
type TopQuestion = KeySelection & {
  readonly kind: 'top';
  readonly maxItems: number;
  /** Whether `keyCount` is not needed: then less may have to be read. */
  readonly withoutCount?: boolean;
};

/** A question that blocks alone answer. */
export type BlockQuestion =
  | TopQuestion
  | ChangesQuestion
  /** The keys were chosen by something other than their values. */
  | (KeySelection & { readonly kind: 'chosen'; readonly keys: readonly string[] })
  | (KeySelection & { readonly kind: 'ranks'; readonly keys: readonly string[] })
  | { readonly kind: 'values'; readonly keys: readonly string[] };

export type ValuedKey = { readonly key: string; readonly value: Exact };

/** The largest keys in the order of decision 24, and the rest. null: no key has a reading. */
export type TopKeys = {
  readonly kind: 'top';
  readonly listed: readonly ValuedKey[];
  readonly total: Exact | null;
  /** All keys that are not listed, including those that do not pass (decision 25). */
  readonly others: Exact | null;
  /** The unlisted keys that pass. */
  readonly othersMatching: Exact | null;
  /** Number of keys that pass; null: it was not needed, and not counted. */
  readonly keyCount: number | null;
};

/** A key that was ranked by something other than its value. */
export type ComparedKey = {
  readonly key: string;
  /** Its value in the window; null: no reading (only a decline lists such keys). */
  readonly value: Exact | null;
  /** For a series, the value that ranks it; for changes, the value then (null: no reading). */
  readonly compared: Exact | null;
};

/** The first keys in the order of the ranking, and the rest. */
export type RankedKeys = Omit<TopKeys, 'kind' | 'listed' | 'keyCount'> & {
  readonly kind: 'ranked';
  readonly keyCount: number;
  readonly listed: readonly ComparedKey[];
};

/** The answer for each step, oldest first, including steps without readings. */
export type TrendAnswer = { readonly kind: 'trend'; readonly steps: readonly TopKeys[] };

/** The values of the chosen keys in their order, and the rest. */
type ChosenKeys = Omit<TopKeys, 'kind' | 'listed' | 'keyCount'> & {
  readonly kind: 'chosen';
  readonly keyCount: number;
  readonly values: readonly (Exact | null)[];
};

/** By the kind of a question, what it is answered with. */
type Answers = {
  readonly top: TopKeys;
  readonly changes: RankedKeys;
  readonly series: RankedKeys;
  readonly trend: TrendAnswer;
  readonly chosen: ChosenKeys;
  readonly ranks: { readonly kind: 'ranks'; readonly ranks: readonly (RankedValue | null)[] };
  readonly values: { readonly kind: 'values'; readonly values: readonly (Exact | null)[] };
};

export type AnswerOf<Question extends KeyQuestion> = Answers[Question['kind']];

export type KeyAnswer = Answers[keyof Answers];

/** A question about the readings of one group. */
export type SegmentQuestion<Question extends BlockQuestion = BlockQuestion> = {
  readonly group: SegmentGroup;
  readonly read: MeterScan;
  readonly question: Question;
};
