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
  ordinalOf,
  passingRows,
  releaseRows,
  rowOf,
} from './select/key-rows.ts';
import { canScanOnce, rowsNotBelow, type SumAndCount, scanOnce } from './select/scan-once.ts';
import {
  type KeySelection,
  releaseSelected,
  selectRows,
  type Totals,
  totals,
  totalsOfRows,
  type ValuedKey,
  valuedKeys,
} from './select/totals.ts';

export type KernelQuery =
  | (KeySelection & { readonly kind: 'top'; readonly maxItems: number })
  | (KeySelection & { readonly kind: 'ranks'; readonly keys: readonly number[] })
  /** The keys were chosen by something other than their values. */
  | (KeySelection & { readonly kind: 'chosen'; readonly keys: readonly number[] })
  | { readonly kind: 'values'; readonly keys: readonly number[] };

/**
 * candidates: the `maxItems` largest keys that pass, largest first, and all that equal the last of
 * them; equal ones in any order. Others are the keys that are not candidates.
 */
export type TopAnswer = {
  readonly kind: 'top';
  readonly candidates: readonly ValuedKey[];
  readonly keyCount: number;
} & Totals;

/** The values of the chosen keys, in their order; keyCount: number of keys that pass. */
export type ChosenAnswer = {
  readonly kind: 'chosen';
  readonly values: readonly (Exact | null)[];
  readonly keyCount: number;
} & Totals;

/** A key's value, the number of larger keys that pass, and those that equal it (itself too). */
export type RankAnswer = {
  readonly value: Exact;
  readonly larger: number;
  readonly equals: readonly number[];
};

export type Answer =
  | TopAnswer
  | ChosenAnswer
  | { readonly kind: 'ranks'; readonly ranks: readonly (RankAnswer | null)[] }
  | { readonly kind: 'values'; readonly values: readonly (Exact | null)[] };

export function* answerKernelQueries(
  aggregated: Aggregated,
  questions: readonly KernelQuery[],
): Sliced<Answer[]> {
  let counted: KeyRows | null = null;
  const all = (): KeyRows => {
    counted ??= countedRows(aggregated);
    return counted;
  };
  const answers: Answer[] = [];
  for (const question of questions) {
    answers.push(answerQuery(aggregated, question, all));
    yield;
  }
  if (counted) releaseRows(counted);
  return answers;
}

function answerQuery(aggregated: Aggregated, question: KernelQuery, all: () => KeyRows): Answer {
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
  question: KeySelection & { maxItems: number },
  all: () => KeyRows,
): TopAnswer {
  const known = question.within === null ? answerAtOnce(aggregated, question, all) : null;
  if (known) return known;
  const { counted, passed } = selectRows(aggregated, question, all);
  const { rows, cut } = largestRows(aggregated, passed, question.maxItems);
  const candidates = valuedKeys(aggregated, rows);
  const isListed = new Set(rows);
  const found = totalsOfRows(
    aggregated,
    { counted, passed },
    {
      listed: candidates,
      isOther: (row, approx) => approx < cut || !isListed.has(row),
    },
  );
  const keyCount = passed.length;
  releaseSelected({ counted, passed });
  return { kind: 'top', candidates, ...found, keyCount };
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
  const rows = passed && largestOfHead(aggregated, passed, maxItems);
  if (!passed || !rows) return null;
  const candidates = valuedKeys(aggregated, [...rows]);
  const keysOf = ({ total, count }: BlockHead) => ({ total, count, scanOthers: () => null });
  const known = keysOf(head);
  const matching = passed === head ? known : keysOf(passed);
  const found = totals(aggregated, { all: known, matching }, candidates);
  return { kind: 'top', candidates, ...found, keyCount: passed.count };
}

function answerByScan(
  aggregated: Aggregated,
  { maxItems, passing }: { readonly maxItems: number; readonly passing: KeySet | null },
): TopAnswer {
  const { all, passed, cut } = scanOnce(aggregated, passing, maxItems);
  const near = rowsNotBelow(aggregated, passing, cut);
  const candidates = valuedKeys(aggregated, largestOf(aggregated, near, maxItems));
  const keysOf = ({ sum, count }: SumAndCount) => ({
    count,
    total: count === 0 ? null : { sum: BigInt(sum), count: 1n },
    scanOthers: () => null,
  });
  const counted = keysOf(all);
  const matching = passed === all ? counted : keysOf(passed);
  const found = totals(aggregated, { all: counted, matching }, candidates);
  return { kind: 'top', candidates, ...found, keyCount: passed.count };
}

/**
 * Returns the `limit` largest rows and all that equal the last of them, largest first. No row is
 * below `cut`.
 */
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

/**
 * Returns the `limit` largest of some rows and all that equal the last of them, largest first.
 * Sorts `near`.
 */
function largestOf(aggregated: Aggregated, near: ApproxRow[], limit: number): number[] {
  near.sort((a, b) => compareRows(aggregated, a, b));
  const last = near[limit - 1];
  let end = near.length;
  if (last) {
    end = limit;
    while (end < near.length && compareRows(aggregated, last, near[end] as ApproxRow) === 0)
      end += 1;
  }
  return near.slice(0, end).map(({ row }) => row);
}

function answerChosen(
  aggregated: Aggregated,
  question: KeySelection & { readonly keys: readonly number[] },
  all: () => KeyRows,
): ChosenAnswer {
  const selected = selectRows(aggregated, question, all);
  const rows = question.keys.flatMap((key) => rowOf(aggregated, key) ?? []);
  const isListed = new Set(rows);
  const found = totalsOfRows(aggregated, selected, {
    listed: valuedKeys(aggregated, [...isListed]),
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
  question: KeySelection & { keys: readonly number[] },
  all: () => KeyRows,
): (RankAnswer | null)[] {
  const selected = selectRows(aggregated, question, all);
  const { passed } = selected;
  const ordered = Array.from(
    { length: passed.length },
    (_, i): ApproxRow => ({ row: passed.rows[i] as number, approx: passed.approx[i] as number }),
  ).sort((a, b) => compareRows(aggregated, a, b));
  const ranks = new Map(ordered.map(({ row }, rank) => [row, rank]));
  const firsts = firstEquals(aggregated, ordered);
  releaseSelected(selected);
  // Keys of the same value share one list: there may be as many equals as there are keys.
  const equals = new Map<number, number[]>();
  return question.keys.map((key) => {
    const row = rowOf(aggregated, key);
    const rank = row === null ? undefined : ranks.get(row);
    if (row === null || rank === undefined) return null;
    const first = firsts[rank] as number;
    const known = equals.get(first);
    const list = known ?? equalsFrom(aggregated, ordered, firsts, first);
    if (!known) equals.set(first, list);
    return { value: exactValue(aggregated, row), larger: first, equals: list };
  });
}

/** Returns, by index, the index of the first row that is equal. */
function firstEquals(aggregated: Aggregated, ordered: readonly ApproxRow[]): Uint32Array {
  const firsts = new Uint32Array(ordered.length);
  for (let rank = 1; rank < ordered.length; rank += 1) {
    const before = ordered[rank - 1];
    const own = ordered[rank];
    const isEqual = before && own && compareRows(aggregated, before, own) === 0;
    firsts[rank] = isEqual ? (firsts[rank - 1] as number) : rank;
  }
  return firsts;
}

function equalsFrom(
  aggregated: Aggregated,
  ordered: readonly ApproxRow[],
  firsts: Uint32Array,
  first: number,
): number[] {
  let end = first;
  while (end < ordered.length && firsts[end] === first) end += 1;
  return ordered.slice(first, end).map(({ row }) => ordinalOf(aggregated, row));
}
