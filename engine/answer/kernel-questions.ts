import { compareExact, type Exact } from '../../domain/toppers/exact.ts';
import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import { combine } from '../../domain/toppers/topper-arithmetic.ts';
import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { findKey, type KeyList, keyAt } from '../../segments/keys/key-list.ts';
import type { Answer, KernelQuery, RankAnswer, TopAnswer } from '../kernel/rank-keys.ts';
import type { ChangeAnswer } from '../kernel/select/rank-changes.ts';
import type { KeySelection as OrdinalSelection } from '../kernel/select/totals.ts';
import type {
  BlockQuestion,
  ChangesQuestion,
  KeyAnswer,
  RankedKeys,
  RankedValue,
  TopKeys,
} from '../plan/key-questions.ts';
import type { SegmentReader } from '../snapshot/segment-reader.ts';

/** The keys, which the kernel knows only by their ordinals. */
export type NamedKeys = { readonly keys: KeyList; readonly codec: KeyCodec };

/** Stands for an unknown key: no ordinal is as large. */
const UNKNOWN = 0xffff_ffff;

/** Questions about the aggregate of one meter. */
export type AggregateQuestion = Exclude<BlockQuestion, ChangesQuestion>;

/** A question, and the keys that it selects. */
export type SelectedAggregate = {
  readonly question: AggregateQuestion;
  readonly selection: OrdinalSelection;
};

/** Converts a question for the kernel. */
export async function toKernel(
  { question, selection: { within, passing } }: SelectedAggregate,
  named: NamedKeys,
  afterKeys: SegmentReader['afterKeys'],
): Promise<KernelQuery> {
  switch (question.kind) {
    case 'top':
      return {
        kind: 'top',
        maxItems: question.maxItems,
        within,
        passing,
      };
    case 'ranks':
    case 'chosen':
      return {
        kind: question.kind,
        keys: await findOrdinals(named, question.keys, afterKeys),
        within,
        passing,
      };
    case 'values':
      return { kind: 'values', keys: await findOrdinals(named, question.keys, afterKeys) };
    default:
      return question satisfies never;
  }
}

async function findOrdinals(
  named: NamedKeys,
  texts: readonly string[],
  afterKeys: SegmentReader['afterKeys'],
): Promise<number[]> {
  const ordinals: number[] = [];
  for (const text of texts) {
    await afterKeys(1);
    ordinals.push(findOrdinal(named, text));
  }
  return ordinals;
}

function findOrdinal({ keys, codec }: NamedKeys, text: string): number {
  const bytes = codec.encodeIfKey(text);
  if (bytes === null) return UNKNOWN;
  const { ordinal, isThere } = findKey(keys, bytes);
  return isThere ? ordinal : UNKNOWN;
}

/** Converts the kernel's answer: keys by name, in the order of decision 24. */
export function fromKernel(
  question: AggregateQuestion,
  answer: Answer,
  { named, aggregate }: { readonly named: NamedKeys; readonly aggregate: Aggregate },
): KeyAnswer {
  if (answer.kind === 'values') return answer;
  if (answer.kind === 'ranks') return { kind: 'ranks', ranks: ranksOf(question, answer, named) };
  if (answer.kind === 'chosen') {
    const { values, total, others, othersMatching, keyCount } = answer;
    return { kind: 'chosen', values, total, others, othersMatching, keyCount };
  }
  if (question.kind !== 'top') throw new Error('the kernel answered another question');
  return fromTop(answer, question.maxItems, { named, aggregate });
}

export const fromChanges = (
  { listed, total, others, othersMatching, keyCount }: ChangeAnswer,
  { keys, codec }: NamedKeys,
): RankedKeys => ({
  kind: 'ranked',
  listed: listed.map(({ ordinal, now, before }) => ({
    key: codec.decode(keyAt(keys, ordinal)),
    value: now,
    compared: before,
  })),
  total,
  others,
  othersMatching,
  keyCount,
});

/** Of equal values the smaller key comes first, which is the one with the smaller ordinal. */
export function fromTop(
  { candidates, total, others, othersMatching, keyCount }: TopAnswer,
  maxItems: number,
  { named, aggregate }: { readonly named: NamedKeys; readonly aggregate: Aggregate },
): TopKeys {
  const ordered = candidates.toSorted(
    (a, b) => compareExact(b.value, a.value) || a.ordinal - b.ordinal,
  );
  const unlisted = ordered.slice(maxItems).map(({ value }) => value);
  const withUnlisted = (others: Exact | null) =>
    combine(others === null ? unlisted : [others, ...unlisted], aggregate);
  return {
    kind: 'top',
    listed: ordered.slice(0, maxItems).map(({ ordinal, value }) => ({
      key: named.codec.decode(keyAt(named.keys, ordinal)),
      value,
    })),
    total,
    others: withUnlisted(others),
    othersMatching: withUnlisted(othersMatching),
    keyCount,
  };
}

const ranksOf = (
  question: AggregateQuestion,
  { ranks }: { readonly ranks: readonly (RankAnswer | null)[] },
  named: NamedKeys,
): (RankedValue | null)[] =>
  ranks.map((found, i) => {
    if (found === null || question.kind !== 'ranks') return null;
    const own = findOrdinal(named, question.keys[i] ?? '');
    const before = found.equals.filter((ordinal) => ordinal < own).length;
    return { value: found.value, rank: found.larger + before + 1 };
  });
