import type { Connection } from '../../db/connection/connection.ts';
import type { StoredSlice } from '../../db/write/slices/select-stored-slices.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';

/**
 * What archiving, restoring and dropping slices of a context needs. The keeper holds the context
 * lock (db/write/lock-context.ts), so nobody imports into the context meanwhile; merges continue.
 */
export type SliceKeeper = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  readonly now: () => EpochSeconds;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes of pages written or read so far, and their total. */
  readonly onBytes?: ((done: number, of: number) => void) | undefined;
};

/** Identifies a slice; times in epoch seconds. */
export type KeptSlice = Pick<StoredSlice, 'sliceId' | 'engine' | 'startsAt' | 'endsAt'>;
