import { withConnection } from '../../db/connection/with-connection.ts';
import { type MergeOutcome, mergeContext } from '../../store/merge/merge-context.ts';

/** A context whose segments should be merged. */
export type MergeTarget = {
  readonly databaseUrl: string;
  readonly contextId: number;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly signal: AbortSignal;
};

/** What a visit has done. */
export type MergeVisit = {
  readonly outcome: MergeOutcome;
  readonly merges: number;
  /** Number of segments replaced. */
  readonly replaced: number;
  /** Number of roll-ups made. */
  readonly rollUps: number;
  /** Bytes written. */
  readonly bytes: number;
  /** Messages about segments that could not be merged. */
  readonly damaged: readonly string[];
};

/** Merges what is due in a context, on a connection of its own. */
export type VisitContext = (target: MergeTarget) => Promise<MergeVisit>;

/** Merges in this thread, which large segments block for up to half a second at a time. */
export const visitHere: VisitContext = ({ databaseUrl, contextId, now, signal }) =>
  withConnection({ databaseUrl, signal }, 'merging', async (connection) => {
    const done = { merges: 0, replaced: 0, rollUps: 0, bytes: 0 };
    const damaged: string[] = [];
    const outcome = await mergeContext(connection, {
      contextId,
      now,
      signal,
      onMerged({ sizeBytes }, { inputs }) {
        done.merges += 1;
        done.replaced += inputs.length;
        done.bytes += sizeBytes;
      },
      onRolledUp({ sizeBytes }) {
        done.rollUps += 1;
        done.bytes += sizeBytes;
      },
      onDamaged({ message }, inputs) {
        const ids = inputs.map(({ segmentId }) => segmentId);
        damaged.push(`segments ${ids.join(', ')}: ${message}`);
      },
    });
    return { outcome, ...done, damaged };
  });
