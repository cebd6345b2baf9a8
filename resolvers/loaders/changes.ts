import { insertAudit, serverActor } from '../../db/sql/audit.ts';
import { type KeyTextsUpsert, upsertKeyTexts } from '../../db/sql/key-texts.ts';
import {
  deleteEndedSessions,
  deleteSession,
  insertSession,
  type SessionToInsert,
} from '../../db/sql/sessions.ts';
import { type SliceTags, updateSliceTags } from '../../db/sql/slices.ts';
import type { AuditActor, AuditDetail } from '../../domain/audit/audit-entry.ts';
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
    const { username } = session;
    const ended = await deleteEndedSessions(connection, username, LIMITS.sessionsPerUser);
    const entries = ended.map((object) => ({ action: 'session ended' as const, object }));
    await insertAudit(connection, entries, serverActor(), false);
    return endsAt;
  });

/** Ends a session, if it has not ended. */
export const closeSession = (
  reads: Pick<RequestReads, 'change'>,
  { digest, from }: { readonly digest: Buffer; readonly from: string },
): Promise<void> =>
  reads.change('end-session', async (connection) => {
    const user = await deleteSession(connection, digest);
    if (user === null) return;
    await insertAudit(
      connection,
      [{ action: 'session ended', object: user }],
      { user, from },
      false,
    );
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
