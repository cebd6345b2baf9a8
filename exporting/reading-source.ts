import type { Connection } from '../db/connection/connection.ts';
import type { Guid } from '../domain/text/guid.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { Fold } from '../domain/toppers/meter-type.ts';

/** An exact integer: a number while that is safe (±(2^53−1)), else a bigint. */
export type Integer = number | bigint;

export type ExportedMeter = {
  readonly id: number;
  /** 1-based: the place of the meter's readings in a row. */
  readonly slot: number;
  /** null: a meter of type 0, which takes no readings. */
  readonly fold: Fold | null;
};

/** A counter group as exports need it. */
export type ExportedGroup = {
  readonly groupId: number;
  readonly guid: Guid;
  readonly meters: readonly ExportedMeter[];
};

/** An available slice of the engine instance that is exported. */
export type ExportedSlice = {
  readonly sliceId: number;
  readonly startsAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
};

/** Which readings are wanted: of these groups and slices, in buckets that begin in [from, to). */
export type ReadingQuery = {
  /** Its transaction, a snapshot, is open: it is the one version of the data that is read. */
  readonly connection: Connection;
  readonly contextId: number;
  readonly groups: readonly ExportedGroup[];
  /** Oldest first. */
  readonly slices: readonly ExportedSlice[];
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly signal?: AbortSignal | undefined;
};

/** What people, or a database of names, say about a key. */
export type KeyTexts = {
  readonly label: string | null;
  /** Whether the label came from DNS answers or a MaxMind database, and not from a user. */
  readonly isLabelDerived: boolean;
  readonly description: string | null;
  readonly attributes: Readonly<Record<string, string>> | null;
};

/** What one key has in one bucket, all of it. */
export type ReadingRow = {
  /** In raw form. */
  readonly key: string;
  readonly bucket: EpochSeconds;
  /**
   * By slot − 1, before sampling; null: no reading. At least one is there. A sum may pass
   * ±(2^63−1).
   */
  readonly readings: readonly (Integer | null)[];
  /** By slot − 1: of a mean, whose reading is a sum, how many readings are behind it; else null. */
  readonly counts: readonly (Integer | null)[];
  /** In the first row of a key that has any; null in all others. */
  readonly texts: KeyTexts | null;
};

/** Rows of one group and probe. A key and bucket is in one row of one page. */
export type ReadingPage = {
  readonly group: ExportedGroup;
  readonly probe: string | null;
  readonly rows: readonly ReadingRow[];
  /** How much of all there is to read is read with it, from 0 to 1, by estimate. */
  readonly done: number;
};

/**
 * Readings of a context, whatever they are stored in. `pages` is read once, in bounded memory;
 * `keyCounts` is for when it has ended.
 */
export type ReadingSource = {
  readonly pages: () => AsyncIterable<ReadingPage>;
  readonly keyCounts: () => Promise<KeyCounts>;
};

export type KeyCounts = {
  /** Keys with a row in some page; a key is one of its group. */
  readonly read: number;
  /** Keys of the groups that had none. */
  readonly withoutReadings: number;
};

export type OpenReadingSource = (query: ReadingQuery) => Promise<ReadingSource>;
