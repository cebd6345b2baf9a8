import type { Connection } from '../../db/connection/connection.ts';
import { insertAudit, serverActor } from '../../db/sql/audit.ts';
import { type KeyTextsUpsert, upsertKeyTexts } from '../../db/sql/key-texts.ts';
import { type Person, upsertPerson } from '../../db/sql/people.ts';
import {
  type DeletedSession,
  deleteEndedSessions,
  deleteSession,
  insertPersonSession,
  insertSession,
  type PersonSession,
  type SessionToInsert,
} from '../../db/sql/sessions.ts';
import { type SliceTags, updateSliceTags } from '../../db/sql/slices.ts';
import { insertUser } from '../../db/sql/users.ts';
import type { AuditActor, AuditDetail } from '../../domain/audit/audit-entry.ts';
import { usernameFor } from '../../domain/callers/username.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import type { RequestReads } from './request-reads.ts';

type KeyTextsChange = {
  readonly updates: readonly KeyTextsUpsert[];
  readonly audit: {
    readonly by: AuditActor;
    /** The GUID of the keys' group. */
    readonly object: string;
    readonly detail: AuditDetail;
  };
};

/** Changes the texts of keys, all or none. Returns how many keys were different before. */
export const changeKeyTexts = (
  reads: Pick<RequestReads, 'change'>,
  { updates, audit: { by, object, detail } }: KeyTextsChange,
): Promise<number> =>
  reads.change('upsert-key-texts', async (connection) => {
    const changed = await upsertKeyTexts(connection, updates);
    const entry = { action: 'keys changed', object, detail: { ...detail, changed } } as const;
    if (changed > 0) await insertAudit(connection, [entry], by);
    return changed;
  });

type SessionBegin = { readonly session: SessionToInsert; readonly by: AuditActor };

/**
 * Begins a session. Returns when it ends, in epoch seconds; null: the user no longer has the token
 * of the session.
 */
export const openSession = (
  reads: Pick<RequestReads, 'change'>,
  { session, by }: SessionBegin,
): Promise<number | null> =>
  reads.change('begin-session', async (connection) => {
    const endsAt = await insertSession(connection, session);
    const begun = { action: 'session began', object: session.username } as const;
    if (endsAt !== null) await insertAudit(connection, [begun], by, false);
    await sweepSessions(connection, session.username);
    return endsAt;
  });

type PersonSessionBegin = {
  readonly person: Person;
  readonly session: Pick<PersonSession, 'digest' | 'groups' | 'seconds'>;
  readonly from: string;
};

/**
 * Begins a session of a person of an identity provider, who is a new user without grants the first
 * time. Returns the username.
 */
export const openPersonSession = (
  reads: Pick<RequestReads, 'change'>,
  { person, session, from }: PersonSessionBegin,
): Promise<string> =>
  reads.change('begin-session', async (connection) => {
    const { issuer, subject, shownName } = person;
    const { username, created } = await upsertPerson(connection, person, usernameFor(shownName));
    await insertPersonSession(connection, { ...session, issuer, subject });
    const by = { user: username, from };
    const detail = { issuer, subject };
    const added = { action: 'user added', object: username, detail } as const;
    const begun = { action: 'session began', object: username, detail: { issuer } } as const;
    await insertAudit(connection, created ? [added, begun] : [begun], by, false);
    await sweepSessions(connection, username);
    return username;
  });

/** Makes somebody whom a proxy names for the first time a user without grants. */
export const addVouchedUser = (
  reads: Pick<RequestReads, 'change'>,
  { username, from }: { readonly username: string; readonly from: string },
): Promise<void> =>
  reads.change('add-user', async (connection) => {
    const { created } = await insertUser(connection, username);
    const added = { action: 'user added', object: username, detail: { proxy: true } } as const;
    if (created) await insertAudit(connection, [added], { user: username, from }, false);
  });

/** Removes what is left of sessions that are over. */
async function sweepSessions(connection: Connection, username: string): Promise<void> {
  const ended = await deleteEndedSessions(connection, username, LIMITS.sessionsPerUser);
  const entries = ended.map((object) => ({ action: 'session ended' as const, object }));
  await insertAudit(connection, entries, serverActor(), false);
}

/** Ends a session; null: it has ended already. */
export const closeSession = (
  reads: Pick<RequestReads, 'change'>,
  { digest, from }: { readonly digest: Buffer; readonly from: string },
): Promise<DeletedSession | null> =>
  reads.change('end-session', async (connection) => {
    const deleted = await deleteSession(connection, digest);
    if (deleted === null) return null;
    const { username: user } = deleted;
    const entry = { action: 'session ended', object: user } as const;
    await insertAudit(connection, [entry], { user, from }, false);
    return deleted;
  });

type SliceTagsChange = {
  readonly slice: SliceTags;
  readonly audit: { readonly by: AuditActor; readonly context: string };
};

/** Sets the tags of a slice; null: the context has no such slice. */
export const changeSliceTags = (
  reads: Pick<RequestReads, 'change'>,
  { slice, audit: { by, context } }: SliceTagsChange,
): Promise<{ isChanged: boolean } | null> =>
  reads.change('update-slice-tags', async (connection) => {
    const found = await updateSliceTags(connection, slice);
    if (!found?.isChanged) return found;
    const object = sliceName(found.startsAt, found.engine);
    const detail = { context, tags: slice.tags };
    await insertAudit(connection, [{ action: 'slice tagged', object, detail }], by);
    return found;
  });
