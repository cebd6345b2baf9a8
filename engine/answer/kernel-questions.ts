import type { KeyCodec } from '../../segments/keys/key-codec.ts';
import { findKey, type KeyList, keyAt } from '../../segments/keys/key-list.ts';
import type { KernelAnswer, KernelQuestion, TopAnswer } from '../kernel/rank-keys.ts';
import type { ChangeAnswer } from '../kernel/select/rank-changes.ts';
import type { OrdinalSelection } from '../kernel/select/select-rows.ts';
import type {
  BlockQuestion,
  ChangesQuestion,
  KeyAnswer,
  RankedKeys,
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
): Promise<KernelQuestion> {
  if (question.kind === 'top') {
    return { kind: 'top', maxItems: question.maxItems, within, passing };
  }
  const keys = await findOrdinals(named, question.keys, afterKeys);
  if (question.kind === 'values') return { kind: 'values', keys };
  return { kind: question.kind, keys, within, passing };
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

/** Converts the kernel's answer: listed keys by name. */
export const fromKernel = (answer: KernelAnswer, named: NamedKeys): KeyAnswer =>
  answer.kind === 'top' ? fromTop(answer, named) : answer;

export const fromTop = ({ listed, ...counted }: TopAnswer, named: NamedKeys): TopKeys => ({
  ...counted,
  listed: listed.map(({ ordinal, value }) => ({ key: nameOf(ordinal, named), value })),
});

export const fromChanges = (
  { listed, ...counted }: ChangeAnswer,
  named: NamedKeys,
): RankedKeys => ({
  kind: 'ranked',
  ...counted,
  listed: listed.map(({ ordinal, now, before }) => ({
    key: nameOf(ordinal, named),
    value: now,
    compared: before,
  })),
});

const nameOf = (ordinal: number, { keys, codec }: NamedKeys): string =>
  codec.decode(keyAt(keys, ordinal));
