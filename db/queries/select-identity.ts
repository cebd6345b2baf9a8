import type { ReadSession, TimeBound } from '../read-session.ts';

export type NodeRow = {
  name: string;
  role: 'dr' | 'replica';
  url: string | null;
  url_env: string | null;
};

export type GrantedContextRow = {
  context_id: number;
  name: string;
  slice_seconds: number;
  nodes: NodeRow[];
};

/** digest: SHA-256 of the token; null for a user without one. Contexts in order of their names. */
export type IdentityRow = {
  user_id: number;
  digest: Buffer | null;
  contexts: GrantedContextRow[];
};

/** Who `username` is and what they may read, in one statement; null for an unknown user. */
export async function selectIdentity(
  session: ReadSession,
  username: string,
  bound: TimeBound | null,
): Promise<IdentityRow | null> {
  // PostgreSQL's texts have no NUL, so nobody is called that.
  if (username.includes('\0')) return null;
  const rows = await session.read<IdentityRow>(
    { text: SELECT_IDENTITY, values: [username] },
    bound,
  );
  return rows[0] ?? null;
}

const SELECT_IDENTITY = `
select u.user_id, t.digest, coalesce(granted.contexts, '[]') as contexts
from users u
left join tokens t using (user_id)
left join lateral (
  select json_agg(json_build_object(
    'context_id', c.context_id, 'name', c.name, 'slice_seconds', c.slice_seconds,
    'nodes', coalesce((
      select json_agg(json_build_object(
        'name', n.name, 'role', n.role, 'url', n.url, 'url_env', n.url_env) order by n.name)
      from nodes n where n.context_id = c.context_id), '[]')
  ) order by c.name) as contexts
  from grants g join contexts c using (context_id)
  where g.user_id = u.user_id
) granted on true
where u.username = $1`;
