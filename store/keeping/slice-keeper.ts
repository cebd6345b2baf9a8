import type { Connection } from '../../db/connection/connection.ts';
import type { StoredSlice } from '../../db/write/slices/select-stored-slices.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';

/**
 * Who archives, restores or drops slices of a context. It holds the context
 * (db/write/lock-context.ts), so that nobody imports into it meanwhile; merges go on.
 */
export type SliceKeeper = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  readonly now: () => EpochSeconds;
  readonly signal?: AbortSignal | undefined;
  /** Told how many bytes of pages were written or read, and of how many. */
  readonly onBytes?: ((done: number, of: number) => void) | undefined;
};

/** Which slice it is; times in epoch seconds. */
export type KeptSlice = Pick<StoredSlice, 'sliceId' | 'engine' | 'startsAt' | 'endsAt'>;
