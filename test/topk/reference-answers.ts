import { compareExact, type Exact } from '../../domain/exact.ts';
import type { Fold } from '../../domain/meter-type.ts';
import type { KeySelection, Question } from '../../topk/answer-questions.ts';
import type { UnitReadings } from '../../topk/fold-units.ts';
import { addKey, emptyKeyBits, hasKey, type KeyBits } from '../../topk/key-bits.ts';
import type { KeyPlace } from '../../topk/key-rows.ts';
import { boundOf } from '../../topk/unit-column.ts';
import { columnOf, foldTwo, isSaid, lanesOf, type PlainReading } from './plain-blocks.ts';

/** A block of all shards: of each the keys, ascending, with one reading or none. */
export type PlainUnit = readonly (readonly {
  readonly id: number;
  readonly reading: PlainReading;
}[])[];

export function unitOf(shards: PlainUnit): UnitReadings {
  const rows = shards.flat();
  const readings = rows.map(({ reading }) => reading);
  const nothing = { values: lanesOf(readings.map(() => null)), counts: null };
  const { values, counts } = columnOf(readings) ?? nothing;
  const shardEnds = new Uint32Array(shards.length);
  let end = 0;
  for (const [shard, ofShard] of shards.entries()) {
    end += ofShard.length;
    shardEnds[shard] = end;
  }
  return {
    ids: Uint32Array.from(rows, ({ id }) => id),
    shardEnds,
    sign: 1,
    column: {
      ...{ values, counts, bound: boundOf(values) },
      countBound: counts ? boundOf(counts) : rows.length,
    },
  };
}

export const keyText = ({ shard, keyId }: KeyPlace): string => `${shard} ${keyId}`;

const placeOf = (text: string): KeyPlace => {
  const [shard = 0, keyId = 0] = text.split(' ').map(Number);
  return { shard, keyId };
};

/** What each key comes to (decision 23), without those that do not count (decision 24). */
export function foldPlainly(units: readonly PlainUnit[], fold: Fold): Map<string, Exact> {
  const folded = new Map<string, PlainReading>();
  for (const unit of units) {
    for (const [shard, rows] of unit.entries()) {
      for (const { id, reading } of rows) {
        const key = keyText({ shard, keyId: id });
        folded.set(key, foldTwo(folded.get(key) ?? null, reading, fold));
      }
    }
  }
  return new Map(
    [...folded].flatMap(([key, reading]) => (isSaid(reading, fold) ? [[key, reading]] : [])),
  );
}

export const keyBitsOf = (keys: readonly KeyPlace[], sizes: readonly number[]): KeyBits => {
  const bits = emptyKeyBits(sizes);
  for (const { shard, keyId } of keys) if (keyId < (sizes[shard] ?? 0)) addKey(bits, shard, keyId);
  return bits;
};

/** An answer as plain values; what has no order comes in that of the places' texts. */
export type PlainAnswer = unknown;

const valued = ([key, value]: readonly [string, Exact]) => ({ ...placeOf(key), value });

function selected(values: ReadonlyMap<string, Exact>, { within, passing }: KeySelection) {
  const counted = [...values].filter(
    ([key]) => within === null || within.some((place) => keyText(place) === key),
  );
  const passed = counted.filter(([key]) => {
    const { shard, keyId } = placeOf(key);
    return passing === null || hasKey(passing, shard, keyId);
  });
  return { counted, passed };
}

const totalOf = (keys: readonly (readonly [string, Exact])[], fold: Fold): PlainReading =>
  keys.reduce<PlainReading>((all, [, value]) => foldTwo(all, value, fold), null);

/** The answer as it follows from the values of all keys by the words of decisions 24 and 25. */
export function answerPlainly(
  values: ReadonlyMap<string, Exact>,
  question: Question,
  fold: Fold,
): PlainAnswer {
  if (question.kind === 'values') {
    return { kind: 'values', values: question.keys.map((key) => values.get(keyText(key)) ?? null) };
  }
  const { counted, passed } = selected(values, question);
  if (question.kind === 'ranks') {
    const ranks = question.keys.map((place) => {
      const own = passed.find(([key]) => key === keyText(place));
      if (!own) return null;
      const compared = passed.map(([key, value]) => [key, compareExact(value, own[1])] as const);
      return {
        value: own[1],
        larger: compared.filter(([, difference]) => difference > 0).length,
        equals: byText(compared.flatMap(([key, d]) => (d === 0 ? [placeOf(key)] : []))),
      };
    });
    return { kind: 'ranks', ranks };
  }
  const ranked = passed.toSorted(([, a], [, b]) => compareExact(b, a));
  const last = ranked[question.maxItems - 1];
  const candidates = last ? ranked.filter(([, v]) => compareExact(v, last[1]) >= 0) : ranked;
  const listed = new Set(candidates.map(([key]) => key));
  const rest = (keys: typeof ranked) =>
    totalOf(
      keys.filter(([key]) => !listed.has(key)),
      fold,
    );
  return {
    kind: 'top',
    ...{ candidates: inOrder(candidates.map(valued)), total: totalOf(counted, fold) },
    ...{ rest: rest(counted), restPassing: rest(passed), keyCount: passed.length },
  };
}

export const byText = <Place extends KeyPlace>(places: readonly Place[]): Place[] =>
  places.toSorted((a, b) => a.shard - b.shard || a.keyId - b.keyId);

/** Equals in the order of their places, all others as they came. */
export const inOrder = <Valued extends KeyPlace & { value: Exact }>(
  candidates: readonly Valued[],
): Valued[] =>
  candidates.toSorted(
    (a, b) => compareExact(b.value, a.value) || a.shard - b.shard || a.keyId - b.keyId,
  );
