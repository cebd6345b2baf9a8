import type { Connection } from '../../db/connection/connection.ts';
import type { StoredSlice } from '../../db/sql/archived-slices.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import type { AuditActor, AuditDetail } from '../../domain/audit/audit-entry.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';

/**
 * What archiving, restoring and dropping slices of a context needs. The keeper holds the context
 * lock (db/connection/lock-context.ts), so nobody imports into the context meanwhile; merges
 * continue.
 */
export type SliceKeeper = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  readonly now: () => EpochSeconds;
  /** Whom the audit names; left out: the user who runs this command. */
  readonly by?: AuditActor | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the bytes of pages written or read so far, and their total. */
  readonly onBytes?: ((done: number, of: number) => void) | undefined;
};

/** Identifies a slice; times in epoch seconds. */
export type KeptSlice = Pick<StoredSlice, 'sliceId' | 'engine' | 'startsAt' | 'endsAt'>;

type SliceAction = {
  readonly action: 'slice archived' | 'slice restored' | 'slice dropped';
  readonly detail?: AuditDetail;
};

/** Records what happens to a slice, in the transaction in which it happens. */
export const auditSlice = (
  { connection, context, by }: SliceKeeper,
  { startsAt, engine }: KeptSlice,
  { action, detail }: SliceAction,
): Promise<void> =>
  insertAudit(
    connection,
    [{ action, object: sliceName(startsAt, engine), detail: { context, ...detail } }],
    by,
  );
