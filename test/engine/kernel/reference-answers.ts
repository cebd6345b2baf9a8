import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { type BlockReadings, boundOf } from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import type { KernelQuestion } from '../../../engine/kernel/rank-keys.ts';
import type { OrdinalSelection } from '../../../engine/kernel/select/select-rows.ts';
import { addKey, emptyKeySet, hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import { columnOf, combineTwo, isSaid, lanesOf, type PlainReading } from './plain-blocks.ts';

/** A block: the ascending ordinals of its keys, each with a reading or null. */
export type PlainUnit = readonly {
  readonly id: number;
  readonly reading: PlainReading;
}[];

export function unitOf(rows: PlainUnit): BlockReadings {
  const readings = rows.map(({ reading }) => reading);
  const nothing = { values: lanesOf(readings.map(() => null)), counts: null };
  const { values, counts } = columnOf(readings) ?? nothing;
  return {
    ids: Uint32Array.from(rows, ({ id }) => id),
    sign: 1,
    column: {
      values,
      counts,
      bound: boundOf(values),
      countBound: counts ? boundOf(counts) : rows.length,
    },
  };
}

/** Returns the value of each key (decision 23), without keys that do not count (decision 24). */
export function aggregatePlainly(
  units: readonly PlainUnit[],
  aggregate: Aggregate,
): Map<number, Exact> {
  const aggregated = new Map<number, PlainReading>();
  for (const unit of units) {
    for (const { id, reading } of unit) {
      aggregated.set(id, combineTwo(aggregated.get(id) ?? null, reading, aggregate));
    }
  }
  return new Map(
    [...aggregated].flatMap(([key, reading]) =>
      isSaid(reading, aggregate) ? [[key, reading]] : [],
    ),
  );
}

/** A set with room for `count` keys, which contains the given ones that fit. */
export const keySetOf = (ordinals: readonly number[], count: number): KeySet => {
  const set = emptyKeySet(count);
  for (const ordinal of ordinals) if (ordinal < count) addKey(set, ordinal);
  return set;
};

/** An answer as plain values; parts without an order are sorted by ordinal. */
export type PlainAnswer = unknown;

const valued = ([ordinal, value]: readonly [number, Exact]) => ({ ordinal, value });

function selected(values: ReadonlyMap<number, Exact>, { within, passing }: OrdinalSelection) {
  const counted = [...values].filter(([ordinal]) => within === null || within.includes(ordinal));
  const passed = counted.filter(([ordinal]) => passing === null || hasKey(passing, ordinal));
  return { counted, passed };
}

const totalOf = (keys: readonly (readonly [number, Exact])[], aggregate: Aggregate): PlainReading =>
  keys.reduce<PlainReading>((all, [, value]) => combineTwo(all, value, aggregate), null);

/** Derives the answer from the values of all keys, as in decisions 24 and 25. */
export function answerPlainly(
  values: ReadonlyMap<number, Exact>,
  question: KernelQuestion,
  aggregate: Aggregate,
): PlainAnswer {
  if (question.kind === 'values') {
    return { kind: 'values', values: question.keys.map((key) => values.get(key) ?? null) };
  }
  const { counted, passed } = selected(values, question);
  if (question.kind === 'chosen') {
    const own = new Set(question.keys);
    const without = (keys: readonly (readonly [number, Exact])[]) =>
      keys.filter(([key]) => !own.has(key));
    return {
      kind: 'chosen',
      values: question.keys.map((key) => values.get(key) ?? null),
      total: totalOf(counted, aggregate),
      others: totalOf(without(counted), aggregate),
      othersMatching: totalOf(without(passed), aggregate),
      keyCount: passed.length,
    };
  }
  if (question.kind === 'ranks') {
    const ranks = question.keys.map((ordinal) => {
      const own = passed.find(([key]) => key === ordinal);
      if (!own) return null;
      const before = passed.filter(
        ([key, value]) => (compareExact(value, own[1]) || ordinal - key) > 0,
      );
      return { value: own[1], rank: before.length + 1 };
    });
    return { kind: 'ranks', ranks };
  }
  const ranked = inOrder(passed.map(valued));
  const listed = ranked.slice(0, question.maxItems);
  const isListed = new Set(listed.map(({ ordinal }) => ordinal));
  const othersOf = (keys: typeof passed) =>
    totalOf(
      keys.filter(([key]) => !isListed.has(key)),
      aggregate,
    );
  return {
    kind: 'top',
    listed,
    total: totalOf(counted, aggregate),
    others: othersOf(counted),
    othersMatching: othersOf(passed),
    keyCount: passed.length,
  };
}

export const ascending = (ordinals: readonly number[]): number[] =>
  ordinals.toSorted((a, b) => a - b);

/** Sorts by descending value, and equal ones by ordinal. */
export const inOrder = <Valued extends { ordinal: number; value: Exact }>(
  candidates: readonly Valued[],
): Valued[] =>
  candidates.toSorted((a, b) => compareExact(b.value, a.value) || a.ordinal - b.ordinal);
