import { createHash, randomBytes } from 'node:crypto';
import type { GrantLimit } from '../../domain/callers/grant-limit.ts';
import type { Role } from '../../domain/callers/role.ts';
import type { Deadline, ReadSession } from '../session/read-session.ts';
import { type NodeSlices, slicesOf } from './slices.ts';
import { TOKEN_LIVES } from './tokens.ts';
import { HISTORY, type VersionedRow, versionsCheck } from './versions.ts';

export type NodeRow = {
  name: string;
  role: 'dr' | 'replica';
  url: string | null;
  urlEnv: string | null;
  /** Whether it may answer requests that name no node. */
  share: boolean;
};

/** What a row of `grants` covers, as a `GrantLimit`. */
export const LIMIT = `json_build_object(
  'networks', only_networks, 'probes', only_probes, 'groups', only_groups)`;

/** What a user, or a group of a provider, may do in a context. */
type GrantRow = { role: Role; limit: GrantLimit };

/** The versions, and the slices if requested, are those of the node that answers. */
type GrantedContextRow = VersionedRow & {
  name: string;
  /** Those of the user, and of the groups among which the user's provider counts them. */
  grants: GrantRow[];
  nodes: NodeRow[];
  slices?: NodeSlices | null;
};

/**
 * digest: a token of the user as it is stored, its SHA-256 or, with the other two, the scrypt of
 * that: the token that was claimed, else the chosen one, which may be it; null: neither. contexts:
 * in order of their names; none unless the token is stored as the claim says.
 */
export type IdentityRow = {
  userId: number;
  username: string;
  /** What the user's identity provider calls them; null: no provider does. */
  shownName: string | null;
  /** The clock of the node that answers, epoch seconds. */
  now: number;
  digest: Buffer | null;
  salt: Buffer | null;
  scryptCost: number | null;
  /** Whether the user, or one of their groups, manages users, tokens and contexts. */
  isAdmin: boolean;
  contexts: GrantedContextRow[];
};

export type TokenClaim = {
  readonly username: string;
  /** SHA-256 of the token that was given; here what that is stored as, if it is chosen. */
  readonly digest: Buffer;
};

/**
 * session: SHA-256 of what the cookie holds. issuer: the identity provider whose sessions count;
 * null: those that began with a token only.
 */
export type SessionClaim = { readonly session: Buffer; readonly issuer: string | null };

/** vouched: the user, as a proxy that is trusted says. groups: the user's, as the proxy says. */
export type VouchedClaim = { readonly vouched: string; readonly groups: readonly string[] };

/** What a page of a browser is identified by. */
export type PageClaim = SessionClaim | VouchedClaim;

export type Claim = (TokenClaim | PageClaim) & {
  /** A context whose slices are also requested, if it is granted; null: none. */
  readonly slicesOf: string | null;
};

/** requestId: names the request in PostgreSQL's log, because no transaction does. */
type RequestClaim = Claim & { readonly requestId: string | null };

/**
 * Selects a user and what the user may read, in one statement; null for an unknown user, and for a
 * session that has ended. What the user may read is looked up only for the right token: a wrong one
 * must not take longer than an unknown user. The caller decides whether the token is right, in
 * constant time.
 */
export async function selectIdentity(
  session: Pick<ReadSession, 'readAlone'>,
  { slicesOf: context, requestId, ...claim }: RequestClaim,
  deadline: Deadline | null,
): Promise<IdentityRow | null> {
  const asked = askedBy(claim);
  if (asked === null) return null;
  const values = [blinded(asked.proof), BLIND, requestId, ...asked.values];
  const isWithSlices = context !== null && !context.includes('\0');
  // Often the only statement of a request: everything else may be cached under the versions that it
  // returns.
  const rows = await session.readAlone<FoundRow>(
    {
      query: 'select-identity',
      sharedAs: JSON.stringify([...asked.sharedAs, context]),
      ...(isWithSlices
        ? {
            name: `${asked.name} and slices`,
            text: asked.withSlices,
            values: [...values, context],
          }
        : { name: asked.name, text: asked.alone, values }),
    },
    ([row]) => versionsCheck(row?.contexts ?? []),
    deadline,
  );
  const [row] = rows;
  return row && row.userId !== null ? row : null;
}

function askedBy(claim: TokenClaim | PageClaim) {
  if ('session' in claim) return askSession(claim);
  return 'vouched' in claim ? askVouched(claim) : askToken(claim);
}

function askToken({ username, digest }: TokenClaim) {
  // PostgreSQL's texts cannot contain NUL, so no user has such a name.
  if (username.includes('\0')) return null;
  return {
    name: 'identity',
    alone: SELECT_IDENTITY,
    withSlices: SELECT_IDENTITY_AND_SLICES,
    proof: digest,
    values: [username],
    sharedAs: [username, digest.toString('hex')],
  };
}

const askSession = ({ session, issuer }: SessionClaim) => ({
  name: 'session',
  alone: SELECT_SESSION,
  withSlices: SELECT_SESSION_AND_SLICES,
  proof: session,
  values: [session, issuer],
  sharedAs: ['session', session.toString('hex'), issuer],
});

const askVouched = ({ vouched, groups }: VouchedClaim) => ({
  name: 'vouched',
  alone: SELECT_VOUCHED,
  withSlices: SELECT_VOUCHED_AND_SLICES,
  // Nothing is left to prove.
  proof: Buffer.from(vouched),
  values: [vouched, groups],
  sharedAs: ['vouched', vouched, groups],
});

/** The statement always has one row. */
type FoundRow = Omit<IdentityRow, 'userId' | 'username'> &
  (Pick<IdentityRow, 'userId' | 'username'> | { userId: null; username: null });

/**
 * PostgreSQL compares byte by byte. Because of this secret, nobody else knows which bytes it
 * compares, so its time reveals nothing.
 */
const BLIND = randomBytes(32);

const blinded = (digest: Buffer): Buffer =>
  createHash('sha256').update(digest).update(BLIND).digest();

/** Where the user comes from, and what $1 must be the blinded digest of. $3 is the request. */
type Asked = {
  readonly from: string;
  readonly proof: string;
  /** The names of the groups of the provider among which the user is. */
  readonly groups: string;
  /** The parameter of the context whose slices are requested. */
  readonly context: string;
};

/** Whether token `t` is stored as the claim says. */
const IS_CLAIMED = 'sha256(t.digest || $2::bytea) = $1::bytea';

const BY_TOKEN: Asked = {
  from: `(values ($3::text, $4::text)) as asked (request, username)
left join users u on u.username = asked.username and not u.is_group
left join lateral (
  select t.digest, t.salt, t.scrypt_cost from tokens t
  where t.user_id = u.user_id and ${TOKEN_LIVES} and (${IS_CLAIMED} or t.salt is not null)
  order by ${IS_CLAIMED} desc limit 1
) t on true`,
  proof: 't.digest',
  groups: `'{}'::text[]`,
  context: '$5::text',
};

// A session that began at an identity provider holds while its user is still that person.
const BY_SESSION: Asked = {
  from: `(values ($3::text, $4::bytea, $5::text)) as asked (request, session, issuer)
left join sessions s on s.digest = asked.session and s.ends_at > now()
left join tokens t on t.user_id = s.user_id and t.digest = s.token_digest and ${TOKEN_LIVES}
left join users u on u.user_id = s.user_id and (t.user_id is not null
  or (s.issuer = asked.issuer and u.issuer = s.issuer and u.subject = s.subject))`,
  proof: 's.digest',
  groups: 's.groups',
  context: '$6::text',
};

const BY_PROXY: Asked = {
  from: `(values ($3::text, $4::text, $5::text[])) as asked (request, username, groups)
left join users u on u.username = asked.username and not u.is_group
left join tokens t on false`,
  proof: `convert_to(asked.username, 'UTF8')`,
  groups: 'asked.groups',
  context: '$6::text',
};

const selectIdentityWith = ({ from, proof, groups }: Asked, more = ''): string => `
select u.user_id as "userId", u.username, u.shown_name as "shownName", t.digest, t.salt, t.scrypt_cost as "scryptCost",
  floor(extract(epoch from now()))::float8 as now, coalesce(granted.contexts, '[]') as contexts,
  u.is_admin or exists (
    select from users a where a.is_group and a.is_admin and a.username = any (${groups})
  ) as "isAdmin"
from ${from}
left join lateral (
  select json_agg(json_build_object(
    'contextId', c.context_id, 'name', c.name, 'grants', g.grants,
    'version', v.version, 'textVersion', x.version, 'layout', v.layout,
    'nonce', v.nonce, 'textNonce', x.nonce, 'history', ${HISTORY},
    'nodes', coalesce((
      select json_agg(json_build_object(
        'name', n.name, 'role', n.role, 'url', n.url, 'urlEnv', n.url_env, 'share', n.share)
        order by n.name)
      from nodes n where n.context_id = c.context_id), '[]')${more}
  ) order by c.name) as contexts
  from (
    select context_id, json_agg(json_build_object('role', role, 'limit', ${LIMIT})) as grants
    from grants
    where user_id = any (array(
      select u.user_id union all
      select user_id from users where is_group and username = any (${groups})))
    group by context_id
  ) g join contexts c using (context_id)
    join context_versions v using (context_id) join text_versions x using (context_id)
  where sha256(${proof} || $2::bytea) = $1::bytea
) granted on true`;

const slicesIn = ({ context }: Asked): string => `,
    'slices', case when c.name = ${context} then json_build_object(
      'isStandby', pg_is_in_recovery(), 'slices', ${slicesOf('c.context_id')}) end`;

export const SELECT_IDENTITY = selectIdentityWith(BY_TOKEN);

export const SELECT_IDENTITY_AND_SLICES = selectIdentityWith(BY_TOKEN, slicesIn(BY_TOKEN));

const SELECT_SESSION = selectIdentityWith(BY_SESSION);

const SELECT_SESSION_AND_SLICES = selectIdentityWith(BY_SESSION, slicesIn(BY_SESSION));

const SELECT_VOUCHED = selectIdentityWith(BY_PROXY);

const SELECT_VOUCHED_AND_SLICES = selectIdentityWith(BY_PROXY, slicesIn(BY_PROXY));
