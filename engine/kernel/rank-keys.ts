import type { Sliced } from '../../domain/sliced.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { kthLargest } from '../../domain/toppers/kth-largest.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { Aggregated } from './aggregate/aggregate-blocks.ts';
import { type BlockHead, headOf, largestOfHead } from './select/block-heads.ts';
import {
  type ApproxRow,
  compareRows,
  countedRows,
  cutoff,
  exactValue,
  type KeyRows,
  passingRows,
  releaseRows,
  rowOf,
} from './select/key-rows.ts';
import { canScanOnce, rowsNotBelow, type SumAndCount, scanOnce } from './select/scan-once.ts';
import { type OrdinalSelection, releaseSelected, selectRows } from './select/select-rows.ts';
import {
  type Totals,
  totals,
  totalsOfRows,
  type ValuedOrdinal,
  valuedOrdinals,
} from './select/totals.ts';

export type KernelQuestion =
  | (OrdinalSelection & { readonly kind: 'top'; readonly maxItems: number })
  | (OrdinalSelection & { readonly kind: 'ranks'; readonly keys: readonly number[] })
  /** The keys were chosen by something other than their values. */
  | (OrdinalSelection & { readonly kind: 'chosen'; readonly keys: readonly number[] })
  | { readonly kind: 'values'; readonly keys: readonly number[] };

/** listed: the `maxItems` largest keys that pass, in the order of decision 24. */
export type TopAnswer = {
  readonly kind: 'top';
  readonly listed: readonly ValuedOrdinal[];
  readonly keyCount: number;
} & Totals;

/** The values of the chosen keys, in their order; keyCount: number of keys that pass. */
export type ChosenAnswer = {
  readonly kind: 'chosen';
  readonly values: readonly (Exact | null)[];
  readonly keyCount: number;
} & Totals;

/** rank: among the keys that pass, from 1, in the order of decision 24. */
export type RankedValue = { readonly value: Exact; readonly rank: number };

export type KernelAnswer =
  | TopAnswer
  | ChosenAnswer
  | { readonly kind: 'ranks'; readonly ranks: readonly (RankedValue | null)[] }
  | { readonly kind: 'values'; readonly values: readonly (Exact | null)[] };

/** What a question is answered with. */
export type KernelAnswerOf<Question extends KernelQuestion> = Extract<
  KernelAnswer,
  { kind: Question['kind'] }
>;

/** Answers questions about one meter, in their order. */
export function* answerKernelQuestions<Question extends KernelQuestion>(
  aggregated: Aggregated,
  questions: readonly Question[],
): Sliced<KernelAnswerOf<Question>[]> {
  let counted: KeyRows | null = null;
  const all = (): KeyRows => {
    counted ??= countedRows(aggregated);
    return counted;
  };
  const answers: KernelAnswer[] = [];
  for (const question of questions) {
    answers.push(answerQuestion(aggregated, question, all));
    yield;
  }
  if (counted) releaseRows(counted);
  // `answerQuestion` answers each with its own kind.
  return answers as KernelAnswerOf<Question>[];
}

function answerQuestion(
  aggregated: Aggregated,
  question: KernelQuestion,
  all: () => KeyRows,
): KernelAnswer {
  switch (question.kind) {
    case 'top':
      return answerTop(aggregated, question, all);
    case 'ranks':
      return { kind: 'ranks', ranks: answerRanks(aggregated, question, all) };
    case 'chosen':
      return answerChosen(aggregated, question, all);
    case 'values':
      return { kind: 'values', values: answerValues(aggregated, question.keys) };
    default:
      return question satisfies never;
  }
}

function answerTop(
  aggregated: Aggregated,
  question: OrdinalSelection & { readonly maxItems: number },
  all: () => KeyRows,
): TopAnswer {
  const known = question.within === null ? answerAtOnce(aggregated, question, all) : null;
  if (known) return known;
  const { counted, passed } = selectRows(aggregated, question, all);
  const { rows, cut } = largestRows(aggregated, passed, question.maxItems);
  const listed = valuedOrdinals(aggregated, rows);
  const isListed = new Set(rows);
  const isOther = (row: number, approx: number) => approx < cut || !isListed.has(row);
  const found = totalsOfRows(aggregated, { counted, passed }, { listed, isOther });
  const keyCount = passed.length;
  releaseSelected({ counted, passed });
  return { kind: 'top', listed, ...found, keyCount };
}

/** Answers without storing rows, if possible; null: the rows have to be stored. */
function answerAtOnce(
  aggregated: Aggregated,
  question: { readonly maxItems: number; readonly passing: KeySet | null },
  all: () => KeyRows,
): TopAnswer | null {
  const known = answerByHead(aggregated, question, all);
  return known ?? (canScanOnce(aggregated) ? answerByScan(aggregated, question) : null);
}

/** Answers from the head of a block; null: all rows have to be scanned. */
function answerByHead(
  aggregated: Aggregated,
  { maxItems, passing }: { readonly maxItems: number; readonly passing: KeySet | null },
  all: () => KeyRows,
): TopAnswer | null {
  const head = headOf(aggregated, null, all);
  if (!head) return null;
  const ofPassing =
    passing && headOf(aggregated, passing, () => passingRows(aggregated, all(), passing));
  const passed = passing ? ofPassing : head;
  const rows = passed && largestOfHead(passed, maxItems);
  if (!passed || !rows) return null;
  const listed = valuedOrdinals(aggregated, [...rows]);
  const keysOf = ({ total, count }: BlockHead) => ({ total, count, scanOthers: null });
  const known = keysOf(head);
  const matching = passed === head ? known : keysOf(passed);
  const found = totals(aggregated, { all: known, matching }, listed);
  return { kind: 'top', listed, ...found, keyCount: passed.count };
}

function answerByScan(
  aggregated: Aggregated,
  { maxItems, passing }: { readonly maxItems: number; readonly passing: KeySet | null },
): TopAnswer {
  const { all, passed, cut } = scanOnce(aggregated, passing, maxItems);
  const near = rowsNotBelow(aggregated, passing, cut);
  const listed = valuedOrdinals(aggregated, largestOf(aggregated, near, maxItems));
  const keysOf = ({ sum, count }: SumAndCount) => ({
    count,
    total: count === 0 ? null : { sum: BigInt(sum), count: 1n },
    scanOthers: null,
  });
  const counted = keysOf(all);
  const matching = passed === all ? counted : keysOf(passed);
  const found = totals(aggregated, { all: counted, matching }, listed);
  return { kind: 'top', listed, ...found, keyCount: passed.count };
}

/** Returns the `limit` largest rows, largest first. No row is below `cut`. */
function largestRows(
  aggregated: Aggregated,
  from: KeyRows,
  limit: number,
): { rows: number[]; cut: number } {
  const { rows, approx, length } = from;
  const cut = cutoff(aggregated, kthLargest(approx, length, limit));
  const near: ApproxRow[] = [];
  for (let i = 0; i < length; i += 1) {
    const value = approx[i] as number;
    if (value >= cut) near.push({ row: rows[i] as number, approx: value });
  }
  return { rows: largestOf(aggregated, near, limit), cut };
}

/** Returns the `limit` largest of some rows, largest first. Sorts `near`. */
function largestOf(aggregated: Aggregated, near: ApproxRow[], limit: number): number[] {
  near.sort((a, b) => compareRows(aggregated, a, b));
  return near.slice(0, limit).map(({ row }) => row);
}

function answerChosen(
  aggregated: Aggregated,
  question: OrdinalSelection & { readonly keys: readonly number[] },
  all: () => KeyRows,
): ChosenAnswer {
  const selected = selectRows(aggregated, question, all);
  const rows = question.keys.flatMap((key) => rowOf(aggregated, key) ?? []);
  const isListed = new Set(rows);
  const found = totalsOfRows(aggregated, selected, {
    listed: valuedOrdinals(aggregated, [...isListed]),
    isOther: (row) => !isListed.has(row),
  });
  const values = answerValues(aggregated, question.keys);
  const keyCount = selected.passed.length;
  releaseSelected(selected);
  return { kind: 'chosen', values, ...found, keyCount };
}

const answerValues = (aggregated: Aggregated, keys: readonly number[]): (Exact | null)[] =>
  keys.map((key) => {
    const row = rowOf(aggregated, key);
    return row === null ? null : exactValue(aggregated, row);
  });

function answerRanks(
  aggregated: Aggregated,
  question: OrdinalSelection & { readonly keys: readonly number[] },
  all: () => KeyRows,
): (RankedValue | null)[] {
  const selected = selectRows(aggregated, question, all);
  const { rows, approx, length } = selected.passed;
  const ordered = Array.from(
    { length },
    (_, i): ApproxRow => ({ row: rows[i] as number, approx: approx[i] as number }),
  ).sort((a, b) => compareRows(aggregated, a, b));
  releaseSelected(selected);
  const ranks = new Map(ordered.map(({ row }, index) => [row, index + 1]));
  return question.keys.map((key) => {
    const row = rowOf(aggregated, key);
    const rank = row === null ? undefined : ranks.get(row);
    if (row === null || rank === undefined) return null;
    return { value: exactValue(aggregated, row), rank };
  });
}
