import type { Finding, MetKey } from '../../domain/alerts/decide-windows.ts';
import { windowEndingAt } from '../../domain/alerts/windows.ts';
import { compareKeys } from '../../domain/keys/compare-keys.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import {
  combine,
  isListable,
  shareOf,
  shownTotal,
  shownValue,
} from '../../domain/toppers/topper-arithmetic.ts';
import type { ComparedKey, TopKeys, ValuedKey } from '../../engine/plan/key-questions.ts';
import { pause } from '../../engine/snapshot/event-loop-scheduler.ts';
import { askChanges, askTop, type RuleReads } from './rule-reads.ts';

/** What was read of a window. */
export type ReadWindow = Finding & {
  /** The total of the whole group. */
  readonly total: Exact | null;
  /** Whether keys that were not read may meet the condition, too. */
  readonly isCut: boolean;
};

/** Number of keys read first: few keys meet the condition of a useful rule. */
const FIRST_KEYS = 100;

/** Reads, for each of these windows, the keys that meet the rule's condition. */
export const readWindows = (
  reads: RuleReads,
  ends: readonly EpochSeconds[],
): Promise<ReadWindow[]> =>
  // Concurrently, so that the loaders plan and read all windows together.
  Promise.all(ends.map((end) => readWindow(reads, end)));

async function readWindow(reads: RuleReads, end: EpochSeconds): Promise<ReadWindow> {
  const { rule } = reads;
  const window = windowEndingAt(end, rule.windowSeconds);
  switch (rule.when.condition) {
    case 'total_above':
    case 'total_below': {
      const { listed, total, othersMatching } = await askTop(reads, window, 1);
      const matching = [...listed.map(({ value }) => value), othersMatching];
      const { aggregate } = reads.meterRule;
      const watched = rule.filter ? combine(matching.filter(isThere), aggregate) : total;
      return { end, met: metTotal(reads, watched), total, isCut: false };
    }
    case 'key_in_top': {
      const { listed, total } = await askTop(reads, window, rule.when.threshold);
      return { end, met: await metAmong(reads, end, { listed, total }), total, isCut: false };
    }
    case 'key_above':
    case 'key_share_above':
      return readLargest(reads, end);
    case 'key_grows_by':
      return readChanged(reads, end, 'growth');
    case 'key_new_above':
      return readChanged(reads, end, 'new');
    case 'silent_seconds':
      throw new Error('silence has no windows');
    default:
      return rule.when.condition satisfies never;
  }
}

const isThere = (value: Exact | null): value is Exact => value !== null;

/** Returns what meets the condition in windows without readings. */
export const metWithoutData = (reads: RuleReads): MetKey[] =>
  reads.rule.when.condition.startsWith('total_') ? metTotal(reads, null) : [];

function metTotal({ rule, meterRule }: RuleReads, total: Exact | null): MetKey[] {
  const { condition, threshold } = rule.when;
  const value = shownTotal(total, meterRule);
  const isMet = condition === 'total_below' ? value < threshold : value > threshold;
  return isMet ? [{ key: null, value }] : [];
}

type Listed = { readonly listed: readonly ValuedKey[]; readonly total: Exact | null };

/** Reads the largest keys of the window, down to one too small to meet the condition. */
async function readLargest(reads: RuleReads, end: EpochSeconds): Promise<ReadWindow> {
  const window = windowEndingAt(end, reads.rule.windowSeconds);
  let top = await askTop(reads, window, FIRST_KEYS);
  if (hasMore(reads, top)) top = await askTop(reads, window, LIMITS.alertKeys);
  const met = await metAmong(reads, end, top);
  return { end, met, total: top.total, isCut: hasMore(reads, top) };
}

/**
 * Reads the keys that are new or that grew. Usually few keys are large enough, and these are
 * compared with the window before. Otherwise the kernel ranks all keys by their change: thousands
 * of keys that are always large must not hide a smaller one that is new.
 */
async function readChanged(
  reads: RuleReads,
  end: EpochSeconds,
  change: 'growth' | 'new',
): Promise<ReadWindow> {
  const { windowSeconds } = reads.rule;
  const window = windowEndingAt(end, windowSeconds);
  const top = await askTop(reads, window, FIRST_KEYS);
  if (!hasMore(reads, top)) {
    return { end, met: await metAmong(reads, end, top), total: top.total, isCut: false };
  }
  const since = windowEndingAt(end - windowSeconds, windowSeconds);
  const maxItems = LIMITS.alertKeys;
  const { listed, total, keyCount } = await askChanges(reads, window, { change, since, maxItems });
  await pause();
  return { end, met: metByChange(reads, listed), total, isCut: listed.length < keyCount };
}

/** Whether keys that are not listed may meet the condition, too. */
function hasMore(reads: RuleReads, top: TopKeys): boolean {
  const last = top.listed.at(-1);
  return last !== undefined && top.othersMatching !== null && mayMeet(reads, last, top);
}

/** Whether a key with any value may meet the condition: a key below 0 may have grown, too. */
const isUnordered = ({ rule, meterRule }: RuleReads): boolean =>
  rule.when.condition === 'key_grows_by' && !isCounting(meterRule.aggregate);

/** Whether a key's value is large enough to meet the condition. If not, no smaller value is. */
function mayMeet(reads: RuleReads, { value }: ValuedKey, { total }: Listed): boolean {
  const { rule, meterRule } = reads;
  const { condition, threshold } = rule.when;
  if (condition === 'key_in_top' || isUnordered(reads)) return true;
  if (condition === 'key_share_above') {
    return (shareOf(value, total, meterRule.aggregate) ?? 0) > threshold;
  }
  return shownValue(value, meterRule) > threshold;
}

/** Returns those of the given keys that meet the condition in a window. */
async function metAmong(reads: RuleReads, end: EpochSeconds, given: Listed): Promise<MetKey[]> {
  const { rule, meterRule } = reads;
  const { condition } = rule.when;
  // Lets requests go first: there may be thousands of keys, and many windows are read at once.
  await pause();
  const able = given.listed.filter((each) => mayMeet(reads, each, given));
  if (condition !== 'key_grows_by' && condition !== 'key_new_above') {
    return able.map(({ key, value }) => ({ key, value: shownValue(value, meterRule) }));
  }
  const before = await valuesBefore(
    reads,
    end,
    able.map(({ key }) => key),
  );
  return metByChange(
    reads,
    able.map(({ key, value }, i) => ({ key, value, compared: before[i] ?? null })),
  );
}

/** Returns those of the given keys that are new, in their order, or that grew, by their growth. */
function metByChange({ rule, meterRule }: RuleReads, changed: readonly ComparedKey[]): MetKey[] {
  const { condition, threshold } = rule.when;
  const met = (keys: readonly ComparedKey[]) =>
    keys
      .map(({ key, value, compared }) => ({
        key,
        value: shownTotal(value, meterRule) - shownTotal(compared, meterRule),
      }))
      .filter(({ value }) => value > threshold);
  if (condition === 'key_new_above')
    return met(changed.filter(({ compared }) => compared === null));
  return met(changed).sort((a, b) =>
    a.value === b.value ? compareKeys(a.key, b.key) : a.value < b.value ? 1 : -1,
  );
}

/** Reads the values of keys in the preceding window; null: no reading. */
async function valuesBefore(
  { rule, meterRule, ask }: RuleReads,
  end: EpochSeconds,
  keys: readonly string[],
): Promise<(Exact | null)[]> {
  const window = windowEndingAt(end - rule.windowSeconds, rule.windowSeconds);
  if (keys.length === 0 || window.to <= 0) return keys.map(() => null);
  const answer = await ask(window, { kind: 'values', keys });
  if (answer.kind !== 'values') throw new Error('the answer is of another question');
  return answer.values.map((value) =>
    value !== null && isListable(value, meterRule.aggregate) ? value : null,
  );
}

/** Adds to a window those of `keys` that were not read but meet the condition. */
export async function withKeys(
  reads: RuleReads,
  window: ReadWindow,
  keys: readonly (string | null)[],
): Promise<Finding> {
  const { end, met, total } = window;
  const known = new Set(met.map(({ key }) => key));
  const unknown = keys.filter((key) => key !== null && !known.has(key)) as string[];
  if (unknown.length === 0) return window;
  const interval = windowEndingAt(end, reads.rule.windowSeconds);
  const { passing } = reads;
  const question = { kind: 'ranks', keys: unknown, within: null, passing } as const;
  const { ranks } = await reads.ask(interval, question);
  const listed = ranks.flatMap((rank, i) =>
    rank ? [{ key: unknown[i] as string, value: rank.value }] : [],
  );
  return { end, met: [...met, ...(await metAmong(reads, end, { listed, total }))] };
}
