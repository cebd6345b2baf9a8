import { type StoredSample, sampleNumbers } from '../db/write/sample-pages.ts';
import type { Fold } from '../domain/meter-type.ts';
import type { Integer } from './reading-source.ts';

/** All that is stored of one key, bucket and probe; readings and counts as in ReadingRow. */
export type CombinedSample = Pick<StoredSample, 'place'> & {
  readonly readings: readonly (Integer | null)[];
  readonly counts: readonly (Integer | null)[];
};

/**
 * The rows of a page by place, in which those of one place are neighbours: what several imports
 * brought is combined by the meters' rules (decision 23). A row without readings is left out.
 */
export function combineSamples(
  page: readonly StoredSample[],
  folds: readonly (Fold | null)[],
): CombinedSample[] {
  const combined: OpenSample[] = [];
  let last: OpenSample | null = null;
  for (const stored of page) {
    if (last === null || !isSamePlace(last, stored)) {
      last = {
        place: stored.place,
        readings: folds.map(() => null),
        counts: folds.map(() => null),
      };
      combined.push(last);
    }
    add(last, stored, folds);
  }
  return combined.filter(({ readings }) => readings.some((reading) => reading !== null));
}

type OpenSample = Pick<StoredSample, 'place'> & {
  readonly readings: (Integer | null)[];
  readonly counts: (Integer | null)[];
};

const isSamePlace = ({ place: a }: OpenSample, { place: b }: StoredSample): boolean =>
  a.every((part, i) => part === b[i]);

function add(
  { readings, counts }: OpenSample,
  stored: StoredSample,
  folds: readonly (Fold | null)[],
): void {
  const ownCounts: Integer[] = [];
  if (stored.counts) {
    sampleNumbers(stored.counts, (slot, count) => {
      ownCounts[slot] = count;
    });
  }
  sampleNumbers(stored.readings, (slot, reading) => {
    const fold = folds[slot] ?? null;
    // A meter of type 0 may have been given some by hand: no import takes them.
    if (fold === null) return;
    const before = readings[slot] ?? null;
    readings[slot] = before === null ? reading : combine(fold, before, reading);
    if (fold !== 'mean') return;
    counts[slot] = addIntegers(counts[slot] ?? 0, ownCounts[slot] ?? 1);
  });
}

function combine(fold: Fold, a: Integer, b: Integer): Integer {
  switch (fold) {
    case 'max':
      return b > a ? b : a;
    case 'min':
      return b < a ? b : a;
    case 'sum':
    case 'rate':
    case 'mean':
      return addIntegers(a, b);
    default:
      return fold satisfies never;
  }
}

function addIntegers(a: Integer, b: Integer): Integer {
  const sum = typeof a === 'number' && typeof b === 'number' ? a + b : Number.NaN;
  // A rounded sum is at least 2^53 and therefore never "safe".
  return Number.isSafeInteger(sum) ? sum : BigInt(a) + BigInt(b);
}
