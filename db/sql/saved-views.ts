import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';

/** A view of the dashboard that a user has named, as another user, or the same, sees it. */
export type SavedViewRow = {
  readonly viewId: number;
  readonly contextId: number;
  readonly name: string;
  readonly owner: string;
  /** Whether it is the caller's. */
  readonly isOwn: boolean;
  /** The query part of its address. */
  readonly address: string;
  readonly shared: boolean;
  readonly live: boolean;
  /** Whether the caller opens the context with it. */
  readonly starred: boolean;
  /** Epoch seconds. */
  readonly created: number;
  readonly changed: number;
};

type SavedViewsSelection = {
  readonly username: string;
  readonly contextIds: readonly number[];
  /** Those of which the caller sees all, and so what others share. */
  readonly sharedIn: readonly number[];
  readonly limit: number;
};

/**
 * SQL: whether the owner of view `v` has a grant of all of its context, or may have: only sessions
 * say who is in a group of a provider.
 */
const OWNER_SEES_ALL = `exists (
  select from grants g join users grantee using (user_id)
  where g.context_id = v.context_id and num_nonnulls(only_networks, only_probes, only_groups) = 0
    and (g.user_id = v.user_id or grantee.is_group and not exists (
      select from grants own where own.user_id = v.user_id and own.context_id = v.context_id)))`;

/**
 * Selects the views of contexts that a user sees: the user's own, then shared ones of others, each
 * by name, at most `limit` of a context. One statement.
 */
export const selectSavedViews = (
  session: Pick<ReadSession, 'read'>,
  { username, contextIds, sharedIn, limit }: SavedViewsSelection,
): Promise<SavedViewRow[]> =>
  session.read({
    query: 'select-saved-views',
    name: 'saved views',
    text: `
with listed as (
  select v.*, u.username as owner, v.user_id = me.user_id as is_own,
    s.view_id is not null as starred, row_number() over (
      partition by v.context_id order by v.user_id <> me.user_id, v.name, u.username) as place
  from users me
  join saved_views v on v.user_id = me.user_id
    or (v.shared and v.context_id = any ($3::int[]) and ${OWNER_SEES_ALL})
  join users u on u.user_id = v.user_id
  left join starred_views s on s.user_id = me.user_id and s.view_id = v.view_id
  where me.username = $1 and not me.is_group and v.context_id = any ($2::int[])
)
select view_id as "viewId", context_id as "contextId", name, owner, is_own as "isOwn", address,
  shared, live, starred,
  floor(extract(epoch from created_at))::float8 as created,
  floor(extract(epoch from changed_at))::float8 as changed
from listed where place <= $4 order by context_id, place`,
    values: [username, contextIds, sharedIn, limit],
  });

/** Where a user keeps views. */
export type ViewPlace = { readonly userId: number; readonly contextId: number };

type NamedView = ViewPlace & { readonly name: string };

/** What is to be said of a view; null: as it is, in a new one false. */
export type ViewTexts = {
  readonly address: string | null;
  readonly shared: boolean | null;
  readonly live: boolean | null;
};

/** Selects the number of a user's view; null: there is none of that name. */
export async function selectViewId(
  connection: Connection,
  { userId, contextId, name }: NamedView,
): Promise<number | null> {
  const { rows } = await connection.query<{ viewId: number }>(
    `select view_id as "viewId" from saved_views
     where user_id = $1 and context_id = $2 and name = $3`,
    [userId, contextId, name],
  );
  return rows[0]?.viewId ?? null;
}

/** Returns how many views a user has in a context. */
export async function countViews(
  connection: Connection,
  { userId, contextId }: ViewPlace,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::int as count from saved_views where user_id = $1 and context_id = $2`,
    [userId, contextId],
  );
  return rows[0]?.count ?? 0;
}

/** Adds a view, and returns its number. */
export async function insertView(
  connection: Connection,
  { userId, contextId, name, address, shared, live }: NamedView & ViewTexts,
): Promise<number> {
  const { rows } = await connection.query<{ viewId: number }>(
    `insert into saved_views (user_id, context_id, name, address, shared, live)
     values ($1, $2, $3, $4, coalesce($5, false), coalesce($6, false))
     returning view_id as "viewId"`,
    [userId, contextId, name, address, shared, live],
  );
  const row = rows[0];
  if (!row) throw new Error('an insert returned no row');
  return row.viewId;
}

/** Changes what is said of a view, its name included. Returns whether anything is different. */
export async function updateView(
  connection: Connection,
  viewId: number,
  { name, address, shared, live }: ViewTexts & { readonly name: string },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `update saved_views set name = $2, address = coalesce($3, address),
       shared = coalesce($4, shared), live = coalesce($5, live), changed_at = now()
     where view_id = $1 and (name, address, shared, live) is distinct from
       ($2, coalesce($3, address), coalesce($4, shared), coalesce($5, live))`,
    [viewId, name, address, shared, live],
  );
  return rowCount === 1;
}

/** Returns false if the user has no view of that name. */
export async function deleteView(
  connection: Connection,
  { userId, contextId, name }: NamedView,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from saved_views where user_id = $1 and context_id = $2 and name = $3',
    [userId, contextId, name],
  );
  return rowCount === 1;
}

/**
 * Makes a view the one with which a user opens its context, in place of another; it may have been
 * removed meanwhile. Returns whether anything is different.
 */
export async function upsertStar(
  connection: Connection,
  { userId }: Pick<ViewPlace, 'userId'>,
  viewId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into starred_views as s (user_id, context_id, view_id)
     select $1, context_id, view_id from saved_views where view_id = $2
     on conflict (user_id, context_id) do update set view_id = excluded.view_id
       where s.view_id <> excluded.view_id`,
    [userId, viewId],
  );
  return rowCount === 1;
}

/** Takes the star from a view. Returns whether it had it. */
export async function deleteStar(
  connection: Connection,
  { userId }: Pick<ViewPlace, 'userId'>,
  viewId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from starred_views where user_id = $1 and view_id = $2',
    [userId, viewId],
  );
  return rowCount === 1;
}

/** Tells those who follow a context that views have changed. No version of it says so. */
export const notifyOfViews = (connection: Connection, contextId: number) =>
  connection.query("select pg_notify('countergraph_versions', $1::int::text)", [contextId]);
