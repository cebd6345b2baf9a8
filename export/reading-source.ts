import type { Connection } from '../db/connection/connection.ts';
import type { Guid } from '../domain/text/guid.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { Aggregate } from '../domain/toppers/meter-type.ts';

/** An exact integer: a number while it is safe (±(2^53−1)), otherwise a bigint. */
export type Integer = number | bigint;

export type ExportedMeter = {
  readonly id: number;
  /** Position of the meter's readings in a row. */
  readonly meterIndex: number;
  /** null for a meter of type 0, which takes no readings. */
  readonly aggregate: Aggregate | null;
};

/** The parts of a counter group that exports need. */
export type ExportedGroup = {
  readonly groupId: number;
  /** The group that its keys are keys of, where their texts are. */
  readonly keysGroupId: number;
  readonly guid: Guid;
  readonly meters: readonly ExportedMeter[];
};

/** An available slice of the exported engine instance. */
export type ExportedSlice = {
  readonly sliceId: number;
  readonly startsAt: EpochSeconds;
  readonly endsAt: EpochSeconds;
};

/** The readings to export: of these groups and slices, in buckets that start in [from, to). */
export type ReadingQuery = {
  /** Has a snapshot transaction open; all data are read from that snapshot. */
  readonly connection: Connection;
  readonly contextId: number;
  readonly groups: readonly ExportedGroup[];
  /** Oldest first. */
  readonly slices: readonly ExportedSlice[];
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly signal?: AbortSignal | undefined;
};

/** What users, or a database of names, say about a key. */
export type ExportedMetadata = {
  readonly label: string | null;
  /** Whether the label came from DNS answers or a MaxMind database, and not from a user. */
  readonly isLabelDerived: boolean;
  readonly description: string | null;
  readonly attributes: Readonly<Record<string, string>> | null;
};

/** All readings of one key in one bucket. */
export type ReadingRow = {
  /** The raw key. */
  readonly key: string;
  readonly bucket: EpochSeconds;
  /**
   * By meter, before sampling; null if there is no reading. At least one is not null. A sum may
   * exceed ±(2^63−1).
   */
  readonly readings: readonly (Integer | null)[];
  /**
   * By meter: for a mean, whose reading is a sum, the number of readings in that sum; otherwise
   * null.
   */
  readonly counts: readonly (Integer | null)[];
  /** Set in the first row of a key that has texts; null in all other rows. */
  readonly texts: ExportedMetadata | null;
};

/** Rows of one group and probe. Each key and bucket appears in exactly one row of one page. */
export type ReadingPage = {
  readonly group: ExportedGroup;
  readonly probe: string | null;
  readonly rows: readonly ReadingRow[];
  /** Estimated fraction of all data read so far, from 0 to 1, including this page. */
  readonly done: number;
};

/**
 * Readings of a context, independent of how they are stored. `pages` is read once, in bounded
 * memory; call `keyCounts` after it has ended.
 */
export type ReadingSource = {
  readonly pages: () => AsyncIterable<ReadingPage>;
  readonly keyCounts: () => Promise<KeyCounts>;
};

export type KeyCounts = {
  /** Keys with a row in any page. A key belongs to one group. */
  readonly read: number;
  /** Keys of the groups that have no row. */
  readonly withoutReadings: number;
};
