import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { revokeToken } from '../../../access/tokens.ts';
import { addUser, removeUser, revokeGrant } from '../../../access/users.ts';
import { inTransaction } from '../../../db/connection/connection.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { type OpenStream, openStream } from '../../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: TestService;
let open: OpenStream[] = [];
/** Whether the statement of the check fails. Answers are still computed: they need the same tables. */
let isCheckBroken = false;

beforeEach(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
    beforeStatement(text) {
      if (isCheckBroken && text.includes('as "isSignedIn"')) {
        throw new Error('the check is broken');
      }
    },
  });
  await lab.apply({ context: 'vault', groups: [group(1)] });
  await lab.addUser(BOB, [CONTEXT]);
});

afterEach(async () => {
  isCheckBroken = false;
  for (const stream of open) stream.close();
  open = [];
  await lab.close();
});

const TOPPER = `subscription ($context: String!) { it: topper(
  context: $context, counterGroup: "${GROUP}", window: { preset: ALL_AVAILABLE }) { total } }`;

async function follow(credentials: Credentials, context = CONTEXT): Promise<OpenStream> {
  const headers = basic(credentials);
  const stream = await openStream(lab.url, TOPPER, { headers, variables: { context } });
  open.push(stream);
  return stream;
}

const NULL = { event: 'next', data: { data: { it: null } } };
const COMPLETE = { event: 'complete', data: {} };
const SIGNED_OUT = {
  event: 'next',
  data: { errors: [{ message: 'Invalid API token', extensions: { code: 'UNAUTHENTICATED' } }] },
};

const importOne = () =>
  lab.importSamples([{ group: GROUP, key: 'k', ts: T0 + 60, values: { 0: 1 } }]);

describe('a subscription by an unauthorized caller', () => {
  it.each([
    ['a context that is not granted', 'vault'],
    ['a context that does not exist', 'nowhere'],
  ])('is null once, and ends: %s', async (_, context) => {
    const stream = await follow(BOB, context);
    await stream.ended;
    expect(stream.status).toBe(200);
    expect(stream.messages).toEqual([NULL, COMPLETE]);
  });

  it('is 401 with a wrong token, or with none', async () => {
    const wrong = await follow({ ...BOB, token: 'wrong' });
    const none = await openStream(lab.url, TOPPER, { headers: {}, variables: { context: 'lab' } });
    expect([wrong.status, none.status]).toEqual([401, 401]);
    await Promise.all([wrong.ended, none.ended]);
    expect(wrong.text()).toContain('UNAUTHENTICATED');
    expect(none.text()).toContain('UNAUTHENTICATED');
  });
});

describe('an open subscription', () => {
  it('ends soon when the token, the user or the grant is gone, and others continue', async () => {
    const users = ['rotated', 'removed', 'revoked'].map((name) => ({
      username: name,
      token: `${name}-token`,
    }));
    for (const user of users) await lab.addUser(user, [CONTEXT]);
    const streams = await Promise.all([...users, ADA].map((user) => follow(user)));
    const [rotated, removed, revoked, ada] = streams;
    await Promise.all(streams.map((stream) => stream.answer()));
    await lab.write((to) => rotateToken(to, 'rotated'));
    await lab.write((to) => removeUser(to, 'removed'));
    await lab.write((to) => revokeGrant(to, { name: 'revoked', context: CONTEXT }));
    await Promise.all([rotated, removed, revoked].map((stream) => stream?.ended));
    expect(rotated?.messages.slice(1)).toEqual([SIGNED_OUT, COMPLETE]);
    expect(removed?.messages.slice(1)).toEqual([SIGNED_OUT, COMPLETE]);
    expect(revoked?.messages.slice(1)).toEqual([NULL, COMPLETE]);
    await importOne();
    expect(await ada?.answer()).toEqual({ it: { total: 2 } });
  });

  it('ends with its token, and those by other tokens of the user continue', async () => {
    const tokens = { kept: 'bob-token', revoked: 'second', expired: 'third' };
    await lab.sql(`insert into tokens (user_id, name, digest)
      select user_id, name, sha256(convert_to(name, 'UTF8'))
      from users, (values ('second'), ('third')) as t (name) where username = 'bob'`);
    const streams = {
      kept: await follow({ ...BOB, token: tokens.kept }),
      revoked: await follow({ ...BOB, token: tokens.revoked }),
      expired: await follow({ ...BOB, token: tokens.expired }),
    };
    await Promise.all(Object.values(streams).map((stream) => stream.answer()));
    await lab.write((to) =>
      inTransaction(to, () => revokeToken(to, { username: 'bob', name: 'second' })),
    );
    await lab.sql(`update tokens set expires_at = now() where name = 'third'`);
    await Promise.all([streams.revoked.ended, streams.expired.ended]);
    expect(streams.revoked.messages.slice(1)).toEqual([SIGNED_OUT, COMPLETE]);
    expect(streams.expired.messages.slice(1)).toEqual([SIGNED_OUT, COMPLETE]);
    await importOne();
    expect(await streams.kept.answer()).toEqual({ it: { total: 2 } });
    // A stream that is open uses its token.
    await lab.sql('update tokens set last_used_at = null');
    await lab.keepTokenUsesNow();
    await vi.waitUntil(
      async () => {
        await lab.keepTokenUsesNow();
        const used = await lab.sql('select from tokens where last_used_at is not null');
        return used.length > 0;
      },
      { timeout: 20_000 },
    );
  });

  it('by a chosen token continues until that is replaced', async () => {
    const zoe = { username: 'zoe', token: 'chosen-by-a-person-1' };
    const { username: name, token: chosenToken } = zoe;
    await lab.write((to) => addUser(to, { name, chosenToken, contexts: [CONTEXT] }));
    const streams = [await follow(zoe), await follow(BOB)] as const;
    await Promise.all(streams.map((stream) => stream.answer()));
    // One check ends Bob's stream, and looks at both.
    await lab.write((to) => removeUser(to, BOB.username));
    await streams[1].ended;
    await importOne();
    expect(await streams[0].answer()).toEqual({ it: { total: 2 } });
    await lab.write((to) => rotateToken(to, name));
    await streams[0].ended;
    expect(streams[0].messages.slice(2)).toEqual([SIGNED_OUT, COMPLETE]);
  });

  it('is not answered for a user who has just lost their rights', async () => {
    const bob = await follow(BOB);
    const ada = await follow(ADA);
    await Promise.all([bob.answer(), ada.answer()]);
    await lab.write((to) => revokeGrant(to, { name: BOB.username, context: CONTEXT }));
    await importOne();
    expect(await ada.answer()).toEqual({ it: { total: 2 } });
    await bob.ended;
    expect(bob.messages.slice(1)).toEqual([NULL, COMPLETE]);
  });

  it('continues if the rights cannot be checked, which is a warning once until they can', async () => {
    const warnings = () => lab.logText().match(/"level":40,.*rights of subscribers/g)?.length ?? 0;
    const failures = () => lab.logText().match(/rights of subscribers/g)?.length ?? 0;
    const bob = await follow(BOB);
    await bob.answer();
    isCheckBroken = true;
    await vi.waitUntil(() => failures() >= 2, { timeout: 20_000 });
    isCheckBroken = false;
    expect(warnings()).toBe(1);
    await lab.write((to) => revokeGrant(to, { name: BOB.username, context: CONTEXT }));
    await bob.ended;
    expect(bob.messages.slice(1)).toEqual([NULL, COMPLETE]);
  });

  it('ends when its counter group is disabled', async () => {
    const stream = await follow(BOB);
    await stream.answer();
    await lab.apply({ context: CONTEXT, groups: [group(1, { enabled: false })] });
    await stream.ended;
    expect(stream.messages.slice(1)).toEqual([NULL, COMPLETE]);
  });
});
