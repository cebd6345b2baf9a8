import { serviceError } from '../../domain/errors.ts';
import { parseViewAddress, parseViewName } from '../../domain/text/saved-view.ts';
import type { ViewMutation } from '../audited-change.ts';
import { findContext, signedIn } from '../contexts.ts';
import { refusedView, type ViewToSave, viewChanges } from '../loaders/view-changes.ts';
import type { RequestScope } from '../request-scope.ts';
import { listViews, type SavedView } from '../saved-views.ts';
import type { ChangingField } from './change-accounts.ts';
import { makeOnce } from './require-editor.ts';

type InContext = { readonly context: string };

type ViewChanges = ReturnType<typeof viewChanges>;

type Change<T> = InContext & {
  readonly mutation: ViewMutation;
  /** The name of the view. */
  readonly view: string;
  readonly make: (changes: ViewChanges) => Promise<T>;
};

/**
 * Changes views of a context that the caller may read; null: there is none. Errors: those of the
 * change; `unreachable` if a node other than the primary authenticated the caller.
 */
async function changeViews<T>(
  { scope, name }: ChangingField,
  { context, mutation, view, make }: Change<T>,
): Promise<T | null> {
  const { username: user, nodeUrl } = signedIn(scope);
  const at = await findContext(scope, context);
  if (!at) return null;
  if (nodeUrl !== scope.reads.primaryUrl) throw serviceError('unreachable');
  const by = { user, from: scope.from };
  const { contextId } = at;
  return makeOnce(scope, name, async () => {
    const made = await make(viewChanges(scope.reads, { by, contextId, context }));
    scope.onChange({ ...by, context, mutation, view });
    return made;
  });
}

/** Returns a view as it is now; null: it has been removed since. */
async function viewNow(
  scope: RequestScope,
  { context, owner, name }: InContext & Pick<SavedView, 'owner' | 'name'>,
): Promise<SavedView | null> {
  const at = await findContext(scope, context);
  const views = at ? await listViews(scope, at) : [];
  return views.find((view) => view.owner === owner && view.name === name) ?? null;
}

/** Saves a view of the caller; null: the caller may not read the context. */
export async function saveView(
  field: ChangingField,
  { context, ...view }: InContext & ViewToSave,
): Promise<SavedView | null> {
  const { scope } = field;
  const { username: owner, contexts } = signedIn(scope);
  const name = parseViewName('name', view.name);
  const newName = view.newName === null ? null : parseViewName('newName', view.newName);
  const address = view.address === null ? null : parseViewAddress(view.address);
  if (view.shared && contexts.get(context)?.limit) {
    throw refusedView('you see a part of this context only, so you cannot share views of it');
  }
  await changeViews(field, {
    context,
    mutation: 'saveView',
    view: name,
    make: (changes) => changes.save({ ...view, name, newName, address }),
  });
  return viewNow(scope, { context, owner, name: newName ?? name });
}

/** Removes a view of the caller. null: there is none of that name, or no such context. */
export async function removeView(
  field: ChangingField,
  { context, name }: InContext & Pick<SavedView, 'name'>,
): Promise<true | null> {
  const isRemoved = await changeViews(field, {
    context,
    mutation: 'removeView',
    view: name,
    make: (changes) => changes.remove(parseViewName('name', name)),
  });
  return isRemoved || null;
}

type StarredView = InContext & {
  readonly name: string;
  /** null: the caller. */
  readonly owner: string | null;
  readonly starred: boolean;
};

/** Gives a view that the caller sees a star, or takes it. null: there is no such view. */
export async function starView(
  field: ChangingField,
  { context, name, starred, ...given }: StarredView,
): Promise<SavedView | null> {
  const { scope } = field;
  const owner = given.owner ?? signedIn(scope).username;
  const view = await viewNow(scope, { context, owner, name });
  if (!view) return null;
  await changeViews(field, {
    context,
    mutation: 'starView',
    view: name,
    make: (changes) => changes.star(view.viewId, starred),
  });
  return viewNow(scope, { context, owner, name });
}
