import DataLoader from 'dataloader';
import { type SinkRow, selectContextSinks } from '../../db/sql/alert-deliveries.ts';
import {
  type ChangeCounter,
  type ChangeCursor,
  type ChangeRow,
  type ChangesAfter,
  type EventPage,
  type EventRow,
  selectAlerts,
  selectChangeCounter,
  selectChanges,
  selectEventPages,
  selectEvents,
  selectFiringEvents,
  selectRevisions,
} from '../../db/sql/alert-events.ts';
import { groupBy } from '../../domain/group-by.ts';
import { manyLoader, oneLoader } from '../../engine/snapshot/batch.ts';
import type { NodeReader } from '../../engine/snapshot/node-reader.ts';

/**
 * Creates the loaders of alerts as of this moment. Alerts change with the clock as well as with the
 * data, so the version of a context does not show that they are unchanged, and no answer with them
 * is cached.
 */
export function createAlertLoaders(reader: NodeReader) {
  const { session } = reader;
  return {
    /** The rules of a context, by name. */
    byContext: manyLoader(
      reader,
      (contextIds: readonly number[]) => selectAlerts(session, contextIds),
      (row) => row.contextId,
    ),
    /** A rule, by the UUID of its revision, which may be superseded. */
    byRevision: oneLoader(
      reader,
      (revisions: readonly string[]) => selectRevisions(session, revisions),
      (revision) => revision,
      (row) => row.revision,
    ),
    /** The firing events of a rule, by alertId, in the order in which they began. */
    firing: manyLoader(
      reader,
      (alertIds: readonly number[]) => selectFiringEvents(session, alertIds),
      (row) => row.alertId,
    ),
    /** The sinks of a context, by name. */
    sinks: manyLoader(
      reader,
      (contextIds: readonly number[]): Promise<SinkRow[]> =>
        selectContextSinks(session, contextIds),
      (row) => row.contextId,
    ),
    event: oneLoader(
      reader,
      (eventIds: readonly string[]) => selectEvents(session, eventIds),
      (eventId) => eventId,
      (row) => row.eventId,
    ),
    eventPage: new DataLoader(
      async (pages: readonly EventPage[]): Promise<EventRow[][]> => {
        const rows = groupBy(await selectEventPages(session, pages), ({ page }) => page);
        return pages.map((_, page) => rows.get(page) ?? []);
      },
      { cache: false, batchScheduleFn: reader.batchScheduleFn },
    ),
    /** See the statements of these two. Not batched: each is requested only once at a time. */
    changeCounter: (contextId: number, at: ChangeCursor): Promise<ChangeCounter> =>
      selectChangeCounter(session, contextId, at),
    changes: (wanted: ChangesAfter): Promise<ChangeRow[]> => selectChanges(session, wanted),
  };
}
