import type { Connection } from '../../db/connection/connection.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import {
  countViews,
  deleteStar,
  deleteView,
  insertView,
  notifyOfViews,
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
  const change = (
    name: string,
    work: (connection: Connection, place: ViewPlace) => Promise<boolean>,
  ): Promise<boolean> =>
    reads.change(name, async (connection) => {
      const userId = await lockUser(connection, by.user);
      if (userId === null) throw serviceError('invalidToken');
      const isDifferent = await work(connection, { userId, contextId });
      if (isDifferent) await notifyOfViews(connection, contextId);
      return isDifferent;
    });
  const noted = (
    connection: Connection,
    action: 'view saved' | 'view removed',
    object: string,
  ): Promise<void> => insertAudit(connection, [{ action, object, detail: { context } }], by);

  // Each returns whether anything is different now.
  return {
    /** Errors: there would be too many, or two of one name. */
    save: ({ starred, ...view }: ViewToSave) =>
      change('save-view', async (connection, place) => {
        const { viewId, isSaved } = await saveView(connection, place, view);
        const isStarred = starred !== null && (await star(connection, { place, viewId, starred }));
        if (isSaved) await noted(connection, 'view saved', view.newName ?? view.name);
        return isSaved || isStarred;
      }),
    remove: (name: string) =>
      change('remove-view', async (connection, place) => {
        const isRemoved = await deleteView(connection, { ...place, name });
        if (isRemoved) await noted(connection, 'view removed', name);
        return isRemoved;
      }),
    star: (viewId: number, starred: boolean) =>
      change('star-view', (connection, place) => star(connection, { place, viewId, starred })),
  };
}

type Star = { readonly place: ViewPlace; readonly viewId: number; readonly starred: boolean };

const star = (connection: Connection, { place, viewId, starred }: Star): Promise<boolean> =>
  (starred ? upsertStar : deleteStar)(connection, place, viewId);

type NewView = Omit<ViewToSave, 'starred'>;

type Saved = {
  readonly viewId: number;
  /** Whether anything is different now. */
  readonly isSaved: boolean;
};

/** Adds a view, or changes the one of that name. */
async function saveView(
  connection: Connection,
  place: ViewPlace,
  { newName, ...view }: NewView,
): Promise<Saved> {
  const name = newName ?? view.name;
  const viewId = await selectViewId(connection, { ...place, name: view.name });
  if (name !== view.name && (await selectViewId(connection, { ...place, name })) !== null) {
    throw refusedView(`there is a view ${name} already`);
  }
  if (viewId !== null) {
    return { viewId, isSaved: await updateView(connection, viewId, { ...view, name }) };
  }
  if (view.address === null) throw malformed('address', 'given for a new view', null);
  if ((await countViews(connection, place)) >= LIMITS.viewsPerUser) {
    throw refusedView(`you have ${LIMITS.viewsPerUser} views here, remove one first`);
  }
  const inserted = await insertView(connection, { ...place, ...view, name });
  return { viewId: inserted, isSaved: true };
}

export const refusedView = (reason: string) =>
  serviceError('refusedChange', { 'what is wrong': reason });
