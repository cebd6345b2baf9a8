import type { EpochSeconds } from '../domain/interval.ts';
import { ownCopy } from './bounded-cache.ts';
import { combineRows } from './combine-rows.ts';
import type { ImportGroup } from './import-group.ts';
import type { ImportKey } from './import-key.ts';
import type { KeyTables } from './key-tables.ts';
import { type KeyTexts, mergeTexts } from './key-texts.ts';
import { ReadingRows } from './reading-rows.ts';
import { orderByIndex } from './row-order.ts';
import type { Whole } from './whole.ts';

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

/** All readings of a probe, null for none. Their group is that of their keys. */
export type ProbeRows = { readonly probe: string | null; readonly rows: ReadingRows };

/** What is said of a key, by its index in its group's table of keys. */
export type IndexedTexts = {
  readonly group: ImportGroup;
  readonly keyIndex: number;
  readonly texts: KeyTexts;
};

/** Readings in memory, in the order in which they came, until they are written. */
export class ReadingBatch {
  /** The tables that it puts its keys into. */
  readonly keys: KeyTables;
  /** Rows of readings in memory. */
  rowCount = 0;
  /** Rows that were added, be it that they are combined by now. */
  addedCount = 0;
  readonly #groups = new Map<number, Map<string | null, ReadingRows>>();
  readonly #texts = new Map<number, Map<number, IndexedTexts>>();
  readonly #keyBytesBefore: number;
  #labelBytes = 0;
  #lastRows: ReadingRows | null = null;
  #lastProbe: string | null = null;

  constructor(keys: KeyTables) {
    this.keys = keys;
    this.#keyBytesBefore = keys.sizeBytes();
  }

  add({ group, probe, bucket, key, values, count }: BatchReading): void {
    const rows = this.rowsOf(group, probe);
    const row = this.addRow(rows, bucket, rows.keys.indexOf(key));
    rows.setValues(row, values, count);
  }

  /** Where the readings of a group and probe are. */
  rowsOf(group: ImportGroup, probe: string | null): ReadingRows {
    const last = this.#lastRows;
    // Most readings are of the same group and probe as the one before.
    if (last !== null && last.keys.group === group && this.#lastProbe === probe) return last;
    const rows = this.#find(group, probe);
    this.#lastRows = rows;
    this.#lastProbe = probe;
    return rows;
  }

  /** Adds a row to one of `rowsOf`; its columns are to be set next. Gives its number. */
  addRow(rows: ReadingRows, bucket: EpochSeconds, keyIndex: number): number {
    this.rowCount += 1;
    this.addedCount += 1;
    return rows.addRow(bucket, keyIndex);
  }

  addTexts({ group, key, texts: later }: KeyWithTexts): void {
    const keyIndex = this.keys.of(group).indexOf(key);
    const ofGroup = this.#texts.get(group.groupId) ?? new Map<number, IndexedTexts>();
    this.#texts.set(group.groupId, ofGroup);
    const texts = mergeTexts(ofGroup.get(keyIndex)?.texts, later);
    ofGroup.set(keyIndex, { group, keyIndex, texts });
    this.#labelBytes += bytesOf(JSON.stringify(later));
  }

  /** Combines the readings of the same key and bucket, so that fewer rows are left. */
  compact(): void {
    this.rowCount = 0;
    for (const { rows } of this.all()) {
      rows.replaceWith(combineRows(rows, orderByIndex(rows), { from: 0, to: rows.rowCount }));
      this.rowCount += rows.rowCount;
    }
  }

  /** About how many bytes of texts it has brought into memory. */
  textBytes(): number {
    return this.keys.sizeBytes() - this.#keyBytesBefore + this.#labelBytes;
  }

  all(): ProbeRows[] {
    return [...this.#groups.values()].flatMap((ofGroup) =>
      Array.from(ofGroup, ([probe, rows]) => ({ probe, rows })),
    );
  }

  texts(): IndexedTexts[] {
    return [...this.#texts.values()].flatMap((ofGroup) => [...ofGroup.values()]);
  }

  #find(group: ImportGroup, probe: string | null): ReadingRows {
    const ofGroup = this.#groups.get(group.groupId) ?? new Map<string | null, ReadingRows>();
    this.#groups.set(group.groupId, ofGroup);
    const known = ofGroup.get(probe);
    if (known) return known;
    const rows = new ReadingRows(this.keys.of(group));
    // A copy: a piece of the line it was read from would keep the line in memory.
    ofGroup.set(probe === null ? null : ownCopy(probe), rows);
    return rows;
  }
}

/** A character takes at most two bytes in memory. */
const bytesOf = (text: string): number => 2 * text.length;
