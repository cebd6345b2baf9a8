import type { ReadSession, TimeBound } from '../read-session.ts';
import { type VersionsRow, versionsCheck } from './select-versions.ts';

export type NodeRow = {
  name: string;
  role: 'dr' | 'replica';
  url: string | null;
  url_env: string | null;
};

/** Its versions are those of the node that answers. */
export type GrantedContextRow = VersionsRow & { name: string; nodes: NodeRow[] };

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
  // Often the only statement of a request: all else may be remembered at the versions it brings.
  const rows = await session.readAlone<IdentityRow>(
    { query: 'select-identity', name: 'identity', text: SELECT_IDENTITY, values: [username] },
    ([row]) => versionsCheck(row?.contexts ?? []),
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
    'contextId', c.context_id, 'name', c.name, 'version', v.version, 'textVersion', t.version,
    'nodes', coalesce((
      select json_agg(json_build_object(
        'name', n.name, 'role', n.role, 'url', n.url, 'url_env', n.url_env) order by n.name)
      from nodes n where n.context_id = c.context_id), '[]')
  ) order by c.name) as contexts
  from grants g join contexts c using (context_id)
    join context_versions v using (context_id) join text_versions t using (context_id)
  where g.user_id = u.user_id
) granted on true
where u.username = $1`;
