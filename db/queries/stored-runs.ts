import { CopyReader } from '../copy-reader.ts';
import type { ReadSession, Statement, TimeBound } from '../read-session.ts';

/** A packed run (topk/packed-run.ts) that the read at place `range` asked for. */
export type StoredRunRow = {
  readonly range: number;
  readonly probeId: number;
  readonly sliceId: number;
  readonly shard: number;
  /** Of its first block: epoch seconds, or in key_series a key id. */
  readonly start: number;
  /** Where the keys and the slots 1, 2, … end in the stored data. */
  readonly ends: readonly number[];
  readonly keys: Uint8Array;
  /** Of the slots that the read names, one after the other. */
  readonly values: Uint8Array;
};

/** What a COPY of the columns of StoredRunRow gives, in their order. */
export async function copyStoredRuns(
  session: ReadSession,
  copy: Pick<Statement, 'query' | 'text'>,
  bound: TimeBound | null,
): Promise<StoredRunRow[]> {
  const reader = new CopyReader(await session.copy(copy, bound));
  const rows: StoredRunRow[] = [];
  while (reader.next()) {
    rows.push({
      range: reader.integer(),
      probeId: reader.integer(),
      sliceId: reader.integer(),
      shard: reader.integer(),
      start: reader.integer(),
      ends: reader.integers(),
      keys: reader.bytes(),
      values: reader.bytes(),
    });
  }
  return rows;
}
