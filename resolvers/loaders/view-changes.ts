import type { Connection } from '../../db/connection/connection.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import {
  countViews,
  deleteStar,
  deleteView,
  insertView,
  selectViewId,
  updateView,
  upsertStar,
  type ViewPlace,
  type ViewTexts,
} from '../../db/sql/saved-views.ts';
import { lockUser } from '../../db/sql/users.ts';
import type { AuditActor } from '../../domain/audit/audit-entry.ts';
import { malformed, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { RequestReads } from './request-reads.ts';

/** Who changes views, and in which context. */
export type ViewsChange = {
  readonly by: AuditActor;
  readonly contextId: number;
  readonly context: string;
};

export type ViewToSave = ViewTexts & {
  readonly name: string;
  /** Another name that it gets; null: none. */
  readonly newName: string | null;
  /** null: as it is. */
  readonly starred: boolean | null;
};

/** Returns the changes that a user can make to views of a context, each in one transaction. */
export function viewChanges(
  reads: Pick<RequestReads, 'change'>,
  { by, contextId, context }: ViewsChange,
) {
  /** Changes of the same user are made one after the other, so that limits hold. */
  const change = <T>(
    name: string,
    work: (connection: Connection, place: ViewPlace) => Promise<T>,
  ): Promise<T> =>
    reads.change(name, async (connection) => {
      const userId = await lockUser(connection, by.user);
      if (userId === null) throw serviceError('invalidToken');
      return work(connection, { userId, contextId });
    });
  const noted = (
    connection: Connection,
    action: 'view saved' | 'view removed',
    object: string,
  ): Promise<void> => insertAudit(connection, [{ action, object, detail: { context } }], by);

  return {
    /** Errors: there would be too many, or two of one name. */
    save: ({ starred, ...view }: ViewToSave): Promise<void> =>
      change('save-view', async (connection, place) => {
        const viewId = await saveView(connection, place, view);
        if (starred === true) await upsertStar(connection, place, viewId);
        if (starred === false) await deleteStar(connection, place, viewId);
        await noted(connection, 'view saved', view.newName ?? view.name);
      }),
    /** Returns false if there is no such view. */
    remove: (name: string): Promise<boolean> =>
      change('remove-view', async (connection, place) => {
        const isRemoved = await deleteView(connection, { ...place, name });
        if (isRemoved) await noted(connection, 'view removed', name);
        return isRemoved;
      }),
    star: (viewId: number, starred: boolean): Promise<void> =>
      change('star-view', (connection, place) =>
        (starred ? upsertStar : deleteStar)(connection, place, viewId),
      ),
  };
}

type NewView = Omit<ViewToSave, 'starred'>;

/** Adds a view, or changes the one of that name. Returns its number. */
async function saveView(
  connection: Connection,
  place: ViewPlace,
  { newName, ...view }: NewView,
): Promise<number> {
  const name = newName ?? view.name;
  const viewId = await selectViewId(connection, { ...place, name: view.name });
  if (name !== view.name && (await selectViewId(connection, { ...place, name })) !== null) {
    throw refusedView(`there is a view ${name} already`);
  }
  if (viewId !== null) {
    await updateView(connection, viewId, { ...view, name });
    return viewId;
  }
  if (view.address === null) throw malformed('address', 'given for a new view', null);
  if ((await countViews(connection, place)) >= LIMITS.viewsPerUser) {
    throw refusedView(`you have ${LIMITS.viewsPerUser} views here, remove one first`);
  }
  return insertView(connection, { ...place, ...view, name });
}

export const refusedView = (reason: string) =>
  serviceError('refusedChange', { 'what is wrong': reason });
