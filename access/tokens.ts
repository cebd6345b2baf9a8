import type { Connection } from '../db/connection/connection.ts';
import { insertAudit } from '../db/sql/audit.ts';
import { selectClock } from '../db/sql/server-state.ts';
import { deleteSessionsOf } from '../db/sql/sessions.ts';
import {
  deleteExpiredTokens,
  deleteToken,
  type StoredToken,
  selectTokens,
  type TokenRow,
  updateToken,
  upsertToken,
} from '../db/sql/tokens.ts';
import { lockUser, selectUserId } from '../db/sql/users.ts';
import type { AuditActor, AuditEntry } from '../domain/audit/audit-entry.ts';
import { LIMITS } from '../domain/limits.ts';
import { shellWord } from '../domain/text/shell-word.ts';
import { type EpochSeconds, MAX_EPOCH_SECONDS } from '../domain/time/interval.ts';
import { AccessError, unknownUser } from './access-error.ts';
import { keptAsDigest, randomToken } from './stored-token.ts';

// Each function that changes something runs in a transaction that its caller has opened.

/** The name of the token that a user is added with. */
export const FIRST_TOKEN = 'default';

/** When a token expires: after a span of time, or at a time. */
export type TokenEnd = { readonly inSeconds: number } | { readonly at: EpochSeconds };

/** by: who makes the change; left out: the user who runs this command. */
type TokenOfUser = {
  readonly username: string;
  readonly name: string;
  readonly by?: AuditActor | undefined;
};

export type MadeToken = {
  readonly name: string;
  /** Only its digest is stored, so this is the only time to see it. */
  readonly token: string;
  /** null: never. */
  readonly expires: Date | null;
};

/** Gives a user one more token. end: null for never. */
export async function makeToken(
  connection: Connection,
  { username, name, end, by }: TokenOfUser & { readonly end: TokenEnd | null },
): Promise<MadeToken> {
  const userId = await lockedUser(connection, username);
  const expires = end && (await timeOf(connection, end));
  const tokens = await tokensWithRoom(connection, { username, userId, by });
  requireNewName(username, name, tokens);
  const token = randomToken();
  await upsertToken(connection, { userId, name, token: keptAsDigest(token), expires });
  const detail = { token: name, expires: expires?.toISOString() ?? null };
  await insertAudit(connection, [{ action: 'token made', object: username, detail }], by);
  return { name, token, expires };
}

type Replacement = TokenOfUser & {
  /** How long the former token goes on, under another name; null: not at all. */
  readonly overlapSeconds: number | null;
  /** undefined: that of the former token. */
  readonly end: TokenEnd | undefined;
};

export type ReplacedToken = MadeToken & {
  /** The former token, if it goes on. */
  readonly former: { readonly name: string; readonly expires: Date } | null;
};

/** Replaces a token of a user by a new one. */
export async function replaceToken(
  connection: Connection,
  { username, name, overlapSeconds, end, by }: Replacement,
): Promise<ReplacedToken> {
  const userId = await lockedUser(connection, username);
  const old = await tokenOf(connection, { username, userId, name });
  if (old.isExpired && !end) throw hasExpired(username, old);
  const expires = end ? await timeOf(connection, end) : old.expires;
  const former =
    overlapSeconds === null || old.isExpired
      ? null
      : await keepFor(connection, { username, userId, old, seconds: overlapSeconds, by });
  const ended = former ? 0 : await deleteSessionsOf(connection, userId, old.digest);
  const token = randomToken();
  await upsertToken(connection, { userId, name, token: keptAsDigest(token), expires });
  const detail = {
    token: name,
    expires: expires?.toISOString() ?? null,
    ...(former && { former: former.name, formerExpires: former.expires.toISOString() }),
  };
  const entry: AuditEntry = { action: 'token replaced', object: username, detail };
  await insertAudit(connection, [entry, ...sessionsEnded(username, ended)], by);
  return { name, token, expires, former };
}

/** Takes a token from a user; the sessions that it began end with it. */
export async function revokeToken(
  connection: Connection,
  { username, name, by }: TokenOfUser,
): Promise<void> {
  const userId = await lockedUser(connection, username);
  const { digest, expires } = await tokenOf(connection, { username, userId, name });
  const ended = await deleteSessionsOf(connection, userId, digest);
  await deleteToken(connection, userId, name);
  const detail = { token: name, expires: expires?.toISOString() ?? null };
  const entry: AuditEntry = { action: 'token revoked', object: username, detail };
  await insertAudit(connection, [entry, ...sessionsEnded(username, ended)], by);
}

/** Returns the tokens of a user, oldest first, those that have expired among them. */
export async function listTokens(connection: Connection, username: string): Promise<TokenRow[]> {
  const userId = await selectUserId(connection, username);
  if (userId === null) throw unknownUser(username);
  return selectTokens(connection, userId);
}

/** Returns the rows of the audit for sessions of a user that were ended. */
export const sessionsEnded = (username: string, number: number): AuditEntry[] =>
  Array.from({ length: number }, () => ({ action: 'session ended', object: username }));

async function lockedUser(connection: Connection, username: string): Promise<number> {
  const userId = await lockUser(connection, username);
  if (userId === null) throw unknownUser(username);
  return userId;
}

type User = {
  readonly username: string;
  readonly userId: number;
};

async function tokenOf(
  connection: Connection,
  { username, userId, name }: User & { readonly name: string },
): Promise<TokenRow & StoredToken> {
  const tokens = await selectTokens(connection, userId);
  const token = tokens.find((each) => each.name === name);
  if (token) return token;
  const names = tokens.map((each) => each.name).join(', ');
  throw new AccessError(
    `User ${username} has no token ${name} (${names === '' ? 'there is none' : `there are: ${names}`})`,
    `\`countergraph user token list ${shellWord(username)}\` shows all`,
  );
}

type By = { readonly by: AuditActor | undefined };

/** Removes what has expired long ago. Returns the tokens of a user who may have one more. */
async function tokensWithRoom(
  connection: Connection,
  { username, userId, by }: User & By,
): Promise<readonly TokenRow[]> {
  const expired = await deleteExpiredTokens(connection, userId, LIMITS.expiredTokenDays);
  const entries = expired.map(({ name, expires }): AuditEntry => {
    const detail = { token: name, expires: expires.toISOString() };
    return { action: 'token expired', object: username, detail };
  });
  await insertAudit(connection, entries, by);
  const tokens = await selectTokens(connection, userId);
  const most = LIMITS.tokensPerUser;
  if (tokens.filter(({ isExpired }) => !isExpired).length < most) return tokens;
  throw new AccessError(
    `A user has at most ${most} tokens, and ${username} has as many`,
    `\`countergraph user token revoke ${shellWord(username)} --name NAME\` makes room`,
  );
}

function requireNewName(username: string, name: string, tokens: readonly TokenRow[]): void {
  const same = tokens.find((each) => each.name === name);
  if (!same) return;
  const { isExpired, expires } = same;
  const since = isExpired && expires ? `, which expired at ${expires.toISOString()}` : '';
  const options = `${shellWord(username)} --name ${shellWord(name)}`;
  throw new AccessError(
    `User ${username} has a token ${name} already${since}`,
    `choose another name, or replace it with \`countergraph user rotate ${options}\``,
  );
}

type Kept = User & By & { readonly old: TokenRow; readonly seconds: number };

/** Keeps a token that is being replaced for some time, under another name. */
async function keepFor(
  connection: Connection,
  { username, userId, old, seconds, by }: Kept,
): Promise<{ name: string; expires: Date }> {
  const tokens = await tokensWithRoom(connection, { username, userId, by });
  const until = await timeOf(connection, { inSeconds: seconds });
  const expires = old.expires && old.expires < until ? old.expires : until;
  const name = `${old.name}-until-${expires.toISOString().replace(/\.\d+/, '')}`;
  requireNewName(username, name, tokens);
  await updateToken(connection, { userId, name: old.name, newName: name, expires });
  return { name, expires };
}

/** Errors: the time is past, or later than any. */
async function timeOf(connection: Connection, end: TokenEnd): Promise<Date> {
  const now = await selectClock(connection);
  const at = 'at' in end ? end.at : now + end.inSeconds;
  const time = new Date(Math.min(at, MAX_EPOCH_SECONDS) * 1000);
  if (at > now) return time;
  throw new AccessError(
    `A token must expire in the future, got ${time.toISOString()}, ` +
      `and the clock of the database says ${new Date(now * 1000).toISOString()}`,
  );
}

const hasExpired = (username: string, { name, expires }: TokenRow): AccessError => {
  const options = `${shellWord(username)} --name ${shellWord(name)} --expires 90d`;
  return new AccessError(
    `Token ${name} of ${username} expired at ${expires?.toISOString()}, and its successor needs another end`,
    `\`countergraph user rotate ${options}\``,
  );
};
