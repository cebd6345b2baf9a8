import type { Sliced } from '../../domain/sliced.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { kthLargest } from '../../domain/toppers/kth-largest.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { Folded } from './aggregate/aggregate-blocks.ts';
import { type BlockHead, headOf, largestOfHead } from './select/block-heads.ts';
import {
  type ApproxRow,
  compareRows,
  countedRows,
  exactValue,
  type KeyRows,
  ordinalOf,
  passingRows,
  releaseRows,
  rowOf,
  surelyBelow,
  totalOf,
} from './select/key-rows.ts';
import { isLookable, lookOnce, rowsNotBelow, type Tally } from './select/scan-once.ts';
import {
  type KeySelection,
  releaseSelected,
  rowsWhere,
  type Surroundings,
  selectRows,
  surroundingsOf,
  type ValuedKey,
  valuedKeys,
  without,
} from './select/totals.ts';

export type KernelQuery =
  | (KeySelection & { readonly kind: 'top'; readonly maxItems: number })
  | (KeySelection & { readonly kind: 'ranks'; readonly keys: readonly number[] })
  /** The keys were chosen by something other than their values. */
  | (KeySelection & { readonly kind: 'chosen'; readonly keys: readonly number[] })
  | { readonly kind: 'values'; readonly keys: readonly number[] };

/**
 * candidates: the `maxItems` largest keys that pass, largest first, and all that equal the last of
 * them; equal ones in any order. The rests are the totals of the keys that are not candidates.
 */
export type TopAnswer = {
  readonly kind: 'top';
  readonly candidates: readonly ValuedKey[];
  readonly keyCount: number;
} & Surroundings;

/** The values of the chosen keys, in their order; keyCount: number of keys that pass. */
export type ChosenAnswer = {
  readonly kind: 'chosen';
  readonly values: readonly (Exact | null)[];
  readonly keyCount: number;
} & Surroundings;

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
  folded: Folded,
  questions: readonly KernelQuery[],
): Sliced<Answer[]> {
  let counted: KeyRows | null = null;
  const all = (): KeyRows => {
    counted ??= countedRows(folded);
    return counted;
  };
  const answers: Answer[] = [];
  for (const question of questions) {
    answers.push(answerQuery(folded, question, all));
    yield;
  }
  if (counted) releaseRows(counted);
  return answers;
}

function answerQuery(folded: Folded, question: KernelQuery, all: () => KeyRows): Answer {
  switch (question.kind) {
    case 'top':
      return answerTop(folded, question, all);
    case 'ranks':
      return { kind: 'ranks', ranks: answerRanks(folded, question, all) };
    case 'chosen':
      return answerChosen(folded, question, all);
    case 'values':
      return { kind: 'values', values: answerValues(folded, question.keys) };
    default:
      return question satisfies never;
  }
}

function answerTop(
  folded: Folded,
  question: KeySelection & { maxItems: number },
  all: () => KeyRows,
): TopAnswer {
  const known = question.within === null ? answerAtOnce(folded, question, all) : null;
  if (known) return known;
  const { counted, passed } = selectRows(folded, question, all);
  const { rows, cut } = largestRows(folded, passed, question.maxItems);
  const candidates = valuedKeys(folded, rows);
  const listed = new Set(rows);
  const restOf = (from: KeyRows, total: Exact | null): Exact | null =>
    from.length === 0 || listed.size === from.length
      ? null
      : (without(folded, total, candidates) ??
        totalOf(
          folded,
          rowsWhere(from, (row, approx) => approx < cut || !listed.has(row)),
        ));
  const total = totalOf(folded, counted);
  const rest = restOf(counted, total);
  const restPassing = passed === counted ? rest : restOf(passed, totalOf(folded, passed));
  const keyCount = passed.length;
  if (passed !== counted) releaseRows(passed);
  return { kind: 'top', candidates, total, rest, restPassing, keyCount };
}

/** Answers without storing rows, if possible; null: the rows have to be stored. */
function answerAtOnce(
  folded: Folded,
  question: { readonly maxItems: number; readonly passing: KeySet | null },
  all: () => KeyRows,
): TopAnswer | null {
  const known = answerByHead(folded, question, all);
  return known ?? (isLookable(folded) ? answerByLook(folded, question) : null);
}

/** Answers from the head of a block; null: all rows have to be scanned. */
function answerByHead(
  folded: Folded,
  { maxItems, passing }: { readonly maxItems: number; readonly passing: KeySet | null },
  all: () => KeyRows,
): TopAnswer | null {
  const head = headOf(folded, null, all);
  if (!head) return null;
  const ofPassing = passing && headOf(folded, passing, () => passingRows(folded, all(), passing));
  const passed = passing ? ofPassing : head;
  const rows = passed && largestOfHead(folded, passed, maxItems);
  if (!passed || !rows) return null;
  const candidates = valuedKeys(folded, [...rows]);
  const restOf = ({ total, count }: BlockHead): Exact | null =>
    candidates.length === count ? null : without(folded, total, candidates);
  const rest = restOf(head);
  const restPassing = restOf(passed);
  return {
    kind: 'top',
    candidates,
    total: head.total,
    rest,
    restPassing,
    keyCount: passed.count,
  };
}

function answerByLook(
  folded: Folded,
  { maxItems, passing }: { readonly maxItems: number; readonly passing: KeySet | null },
): TopAnswer {
  const { all, passed, cut } = lookOnce(folded, passing, maxItems);
  const near = rowsNotBelow(folded, passing, cut);
  const candidates = valuedKeys(folded, largestOf(folded, near, maxItems));
  const exactOf = ({ sum, count }: Tally): Exact | null =>
    count === 0 ? null : { sum: BigInt(sum), count: 1n };
  const restOf = (tally: Tally): Exact | null =>
    candidates.length === tally.count ? null : without(folded, exactOf(tally), candidates);
  const rest = restOf(all);
  const restPassing = restOf(passed);
  const keyCount = passed.count;
  return { kind: 'top', candidates, total: exactOf(all), rest, restPassing, keyCount };
}

/**
 * Returns the `wanted` largest rows and all that equal the last of them, largest first. No row is
 * below `cut`.
 */
function largestRows(
  folded: Folded,
  from: KeyRows,
  wanted: number,
): { rows: number[]; cut: number } {
  const { rows, approx, length } = from;
  const cut = surelyBelow(folded, kthLargest(approx, length, wanted));
  const near: ApproxRow[] = [];
  for (let i = 0; i < length; i += 1) {
    const value = approx[i] as number;
    if (value >= cut) near.push({ row: rows[i] as number, approx: value });
  }
  return { rows: largestOf(folded, near, wanted), cut };
}

/**
 * Returns the `wanted` largest of some rows and all that equal the last of them, largest first.
 * Sorts `near`.
 */
function largestOf(folded: Folded, near: ApproxRow[], wanted: number): number[] {
  near.sort((a, b) => compareRows(folded, a, b));
  const last = near[wanted - 1];
  let end = near.length;
  if (last) {
    end = wanted;
    while (end < near.length && compareRows(folded, last, near[end] as ApproxRow) === 0) end += 1;
  }
  return near.slice(0, end).map(({ row }) => row);
}

function answerChosen(
  folded: Folded,
  question: KeySelection & { readonly keys: readonly number[] },
  all: () => KeyRows,
): ChosenAnswer {
  const selected = selectRows(folded, question, all);
  const rows = question.keys.flatMap((key) => rowOf(folded, key) ?? []);
  const { total, rest, restPassing } = surroundingsOf(folded, selected, rows);
  const values = answerValues(folded, question.keys);
  const keyCount = selected.passed.length;
  releaseSelected(selected);
  return { kind: 'chosen', values, total, rest, restPassing, keyCount };
}

const answerValues = (folded: Folded, keys: readonly number[]): (Exact | null)[] =>
  keys.map((key) => {
    const row = rowOf(folded, key);
    return row === null ? null : exactValue(folded, row);
  });

function answerRanks(
  folded: Folded,
  question: KeySelection & { keys: readonly number[] },
  all: () => KeyRows,
): (RankAnswer | null)[] {
  const { passed } = selectRows(folded, question, all);
  const ordered = Array.from(
    { length: passed.length },
    (_, i): ApproxRow => ({ row: passed.rows[i] as number, approx: passed.approx[i] as number }),
  ).sort((a, b) => compareRows(folded, a, b));
  const ranks = new Map(ordered.map(({ row }, rank) => [row, rank]));
  const firsts = firstEquals(folded, ordered);
  // Keys of the same value share one list: there may be as many equals as there are keys.
  const equals = new Map<number, number[]>();
  return question.keys.map((key) => {
    const row = rowOf(folded, key);
    const rank = row === null ? undefined : ranks.get(row);
    if (row === null || rank === undefined) return null;
    const first = firsts[rank] as number;
    const known = equals.get(first);
    const list = known ?? equalsFrom(folded, ordered, firsts, first);
    if (!known) equals.set(first, list);
    return { value: exactValue(folded, row), larger: first, equals: list };
  });
}

/** Returns, by index, the index of the first row that is equal. */
function firstEquals(folded: Folded, ordered: readonly ApproxRow[]): Uint32Array {
  const firsts = new Uint32Array(ordered.length);
  for (let rank = 1; rank < ordered.length; rank += 1) {
    const before = ordered[rank - 1];
    const own = ordered[rank];
    const isEqual = before && own && compareRows(folded, before, own) === 0;
    firsts[rank] = isEqual ? (firsts[rank - 1] as number) : rank;
  }
  return firsts;
}

function equalsFrom(
  folded: Folded,
  ordered: readonly ApproxRow[],
  firsts: Uint32Array,
  first: number,
): number[] {
  let end = first;
  while (end < ordered.length && firsts[end] === first) end += 1;
  return ordered.slice(first, end).map(({ row }) => ordinalOf(folded, row));
}
