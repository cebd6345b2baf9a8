import type { EpochSeconds } from '../domain/interval.ts';
import type { Fold } from '../domain/meter-type.ts';
import type { ImportGroup } from './import-group.ts';
import type { ImportKey } from './import-key.ts';
import { type KeyTexts, mergeTexts } from './key-texts.ts';
import { addWhole, isReading, type Whole } from './whole.ts';

/** Readings of one key in one bucket of one probe, to become one row of samples. */
export type BatchRow = {
  readonly key: ImportKey;
  /** By slot − 1; null where the meter was not read. */
  readonly readings: (Whole | null)[];
  /** By slot − 1: the number of readings behind a mean's value. Null in a group without means. */
  readonly counts: (Whole | null)[] | null;
};

/** All rows of one group, probe and bucket, by key. */
export type BatchCell = {
  readonly group: ImportGroup;
  readonly probe: string | null;
  readonly bucket: EpochSeconds;
  readonly rows: ReadonlyMap<string, BatchRow>;
};

/** Some readings of a group; `values` by slot − 1, each being a sum of `count` readings. */
export type BatchReading = {
  readonly group: ImportGroup;
  readonly probe: string | null;
  readonly bucket: EpochSeconds;
  readonly key: ImportKey;
  readonly values: readonly (Whole | null)[];
  readonly count: Whole;
};

export type KeyWithTexts = {
  readonly group: ImportGroup;
  readonly key: ImportKey;
  readonly texts: KeyTexts;
};

/**
 * Readings in memory, combined by the meters' rules (decision 23), until they are written.
 *
 * A combined value that no reading can hold (±(2^63−1)) is not made: what does not fit stays apart,
 * in `rest`, and becomes a row of a batch of its own. Rows combine when they are read, where sums
 * have no bounds, so nothing is lost.
 */
export type ReadingBatch = {
  readonly add: (reading: BatchReading) => void;
  readonly addTexts: (texts: KeyWithTexts) => void;
  readonly rowCount: () => number;
  /** About how many bytes of texts it keeps in memory. */
  readonly textBytes: () => number;
  readonly cells: () => BatchCell[];
  readonly texts: () => KeyWithTexts[];
  readonly rest: () => ReadingBatch | null;
};

type OpenCell = BatchCell & { readonly rows: Map<string, BatchRow> };
type Buckets = Map<EpochSeconds, OpenCell>;
type Probes = Map<string | null, Buckets>;

export function createReadingBatch(): ReadingBatch {
  const groups = new Map<number, Probes>();
  const texts = new Map<number, Map<string, KeyWithTexts>>();
  let rowCount = 0;
  let textBytes = 0;
  let rest: ReadingBatch | null = null;

  function rowsOf({ group, probe, bucket }: BatchReading): Map<string, BatchRow> {
    const probes = entry(groups, group.groupId, (): Probes => new Map());
    const buckets = entry(probes, probe, (): Buckets => new Map());
    return entry(buckets, bucket, () => ({ group, probe, bucket, rows: new Map() })).rows;
  }

  return {
    add(reading) {
      const rows = rowsOf(reading);
      const row = rows.get(reading.key.text);
      if (!row) {
        rows.set(reading.key.text, newRow(reading));
        rowCount += 1;
        textBytes += bytesOf(reading.key.text);
        return;
      }
      const left = combine(row, reading);
      if (left === null) return;
      rest ??= createReadingBatch();
      rest.add({ ...reading, values: left });
    },
    addTexts({ group, key, texts: later }) {
      const ofGroup = entry(texts, group.groupId, () => new Map<string, KeyWithTexts>());
      const merged = mergeTexts(ofGroup.get(key.text)?.texts, later);
      ofGroup.set(key.text, { group, key, texts: merged });
      textBytes += bytesOf(key.text) + bytesOf(JSON.stringify(later));
    },
    rowCount: () => rowCount,
    textBytes: () => textBytes,
    cells: () =>
      [...groups.values()].flatMap((probes) =>
        [...probes.values()].flatMap((buckets) => [...buckets.values()]),
      ),
    texts: () => [...texts.values()].flatMap((ofGroup) => [...ofGroup.values()]),
    rest: () => rest,
  };
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = create();
  map.set(key, value);
  return value;
}

/** A character takes at most two bytes in memory. */
const bytesOf = (text: string): number => 2 * text.length;

const newRow = ({ group, key, values, count }: BatchReading): BatchRow => ({
  key,
  readings: values.slice(),
  counts: group.hasMeans ? values.map((value, i) => countOf(group.folds[i], value, count)) : null,
});

const countOf = (fold: Fold | null | undefined, value: Whole | null, count: Whole): Whole | null =>
  fold === 'mean' && value !== null ? count : null;

/** Takes a reading into the row; gives the values that do not fit into it, or null. */
function combine(row: BatchRow, reading: BatchReading): (Whole | null)[] | null {
  let left: (Whole | null)[] | null = null;
  for (let i = 0; i < reading.values.length; i += 1) {
    const value = reading.values[i] ?? null;
    if (value !== null && !combineSlot(row, i, reading.group.folds[i], value, reading.count)) {
      left ??= reading.values.map(() => null);
      left[i] = value;
    }
  }
  return left;
}

function combineSlot(
  { readings, counts }: BatchRow,
  i: number,
  fold: Fold | null | undefined,
  value: Whole,
  count: Whole,
): boolean {
  const before = readings[i] ?? null;
  if (before === null) {
    readings[i] = value;
    if (counts && fold === 'mean') counts[i] = count;
    return true;
  }
  if (fold === 'max' || fold === 'min') {
    if (fold === 'max' ? value > before : value < before) readings[i] = value;
    return true;
  }
  const sum = addWhole(before, value);
  if (!isReading(sum)) return false;
  if (counts && fold === 'mean') {
    const countSum = addWhole(counts[i] ?? 0, count);
    if (!isReading(countSum)) return false;
    counts[i] = countSum;
  }
  readings[i] = sum;
  return true;
}
