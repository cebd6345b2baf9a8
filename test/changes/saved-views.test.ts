import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, removeUser, revokeGrant } from '../../access/users.ts';
import { LIMITS } from '../../domain/limits.ts';
import { READER, STRANGER, startEditingLab } from '../support/lab/editing-lab.ts';
import { ADA, basic, CONTEXT, type Credentials, type TestService } from '../support/lab/service.ts';

const LIMITED: Credentials = { username: 'lena', token: 'lena-token' };

let lab: TestService;

beforeAll(async () => {
  lab = await startEditingLab();
  const { username: name, token } = LIMITED;
  const limit = { networks: ['10.0.0.0/24'], probes: [], groups: [] };
  await lab.write((to) => addUser(to, { name, token, contexts: [CONTEXT], limit }));
});

afterAll(() => lab.close());

type View = { name: string; owner: string; starred: boolean };

const FIELDS = 'name owner isOwn address shared live starred created changed';

const views = async (as: Credentials, fields = FIELDS) => {
  const query = `{ context(name: "${CONTEXT}") { views { ${fields} } } }`;
  return (await lab.data<{ context: { views: View[] } }>(query, {}, as)).context.views;
};

const namesOf = async (as: Credentials) => (await views(as)).map(({ name }) => name);

const starredOf = async (as: Credentials) =>
  (await views(as)).filter(({ starred }) => starred).map(({ owner, name }) => `${owner}: ${name}`);

/** Sends a mutation of the context's views; `given` are its other arguments, as GraphQL. */
const send = (field: string, given: string, as = ADA) =>
  lab.graphql<Record<string, unknown>>(
    `mutation { ${field}(context: "${CONTEXT}", ${given})
      ${field === 'removeView' ? '' : `{ ${FIELDS} }`} }`,
    {},
    basic(as),
  );

const save = async (given: string, as = ADA) => {
  const { data, errors } = await send('saveView', given, as);
  expect(errors).toBeUndefined();
  return data['saveView'];
};

describe('saved views', () => {
  it('are saved by readers too, changed by their name, renamed and removed', async () => {
    const saved = { owner: 'rita', isOwn: true, created: expect.any(Number) };
    const first = { ...saved, changed: expect.any(Number), name: 'Night', address: '?window=6h' };
    expect(await save('name: "Night", address: "?window=6h"', READER)).toEqual({
      ...first,
      shared: false,
      live: false,
      starred: false,
    });
    const live = { ...first, live: true, shared: false, starred: true };
    expect(await save('name: "Night", live: true, starred: true', READER)).toEqual(live);
    const other = { ...live, name: 'Last night', address: '?view=trend' };
    const changes = 'name: "Night", newName: "Last night", address: "?view=trend"';
    expect(await save(changes, READER)).toEqual(other);
    expect(await views(READER)).toEqual([other]);
    const { data } = await send('removeView', 'name: "Last night"', READER);
    expect(data).toEqual({ removeView: true });
    expect(await views(READER)).toEqual([]);
    const again = await send('removeView', 'name: "Last night"', READER);
    expect([again.data, again.errors]).toEqual([{ removeView: null }, undefined]);
  });

  it('are seen by others once shared, after their own, and changed by none of them', async () => {
    await save('name: "B", address: "?top=20", shared: true');
    await save('name: "Mine", address: "?"');
    await save('name: "C", address: "?"', READER);
    expect(await views(READER, 'name owner isOwn')).toEqual([
      { name: 'C', owner: 'rita', isOwn: true },
      { name: 'B', owner: 'ada', isOwn: false },
    ]);
    expect((await send('removeView', 'name: "B"', READER)).data).toEqual({ removeView: null });
    expect(await namesOf(ADA)).toEqual(['B', 'Mine']);
  });

  it('have one star of each user, who may give it to what others share', async () => {
    await send('starView', 'name: "B", owner: "ada", starred: true', READER);
    await send('starView', 'name: "Mine", starred: true');
    expect([await starredOf(READER), await starredOf(ADA)]).toEqual([['ada: B'], ['ada: Mine']]);
    await send('starView', 'name: "C", starred: true', READER);
    expect(await starredOf(READER)).toEqual(['rita: C']);
    await send('starView', 'name: "C", starred: false', READER);
    expect(await starredOf(READER)).toEqual([]);
    const hidden = await send('starView', 'name: "Mine", owner: "ada", starred: true', READER);
    expect([hidden.data, hidden.errors]).toEqual([{ starView: null }, undefined]);
  });

  it('of somebody limited are shown to nobody else, nor those of others to them', async () => {
    await save('name: "Own", address: "?"', LIMITED);
    expect(await namesOf(LIMITED)).toEqual(['Own']);
    const { errors } = await send('saveView', 'name: "Own", shared: true', LIMITED);
    expect(errors).toMatchObject([
      {
        message:
          'The change cannot be made - you see a part of this context only, so you cannot share views of it',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    // Shared before the grant was limited.
    await lab.sql(`update saved_views set shared = true where name = 'Own'`);
    expect(await namesOf(ADA)).toEqual(['B', 'Mine']);
    expect(
      (await send('starView', 'name: "B", owner: "ada", starred: true', LIMITED)).data,
    ).toEqual({ starView: null });
  });

  it('are nothing to those who may not read the context', async () => {
    const { data, errors } = await send('saveView', 'name: "x", address: "?"', STRANGER);
    expect([data, errors]).toEqual([{ saveView: null }, undefined]);
    const nobody = await lab.graphql('mutation { removeView(context: "lab", name: "B") }', {}, {});
    expect(nobody.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  it.each([
    ['name: "x", address: "top=20"', /^address must be the part .* that begins with "\?"/],
    ['name: "x", address: "https://example.com/?top=20"', /^address must be the part/],
    ['name: "x", address: "?top=20#part"', /^address must be the part/],
    ['name: "x", address: "?find=a b"', /^address must be the part/],
    [
      `name: "x", address: "?${'x'.repeat(8_000)}"`,
      'address must be at most 8000 characters, got "8001 characters"',
    ],
    ['name: "x"', 'address must be given for a new view, got null'],
    ['name: "", address: "?"', /^name must be a name of 1 to 100 characters/],
    [`name: "${'x'.repeat(101)}", address: "?"`, /^name must be a name of 1 to 100 characters/],
    ['name: "B", newName: "a\\u0000"', /^newName must be a name/],
    ['name: "B", newName: "Mine"', 'The change cannot be made - there is a view Mine already'],
  ] satisfies [string, string | RegExp][])('refuses %s', async (given, message) => {
    const { data, errors } = await send('saveView', given);
    const told = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([data, errors]).toEqual([
      { saveView: null },
      [expect.objectContaining({ message: told, extensions: { code: 'BAD_USER_INPUT' } })],
    ]);
    expect(await namesOf(ADA)).toEqual(['B', 'Mine']);
  });

  it('are audited, and at most 100 of a user in a context', async () => {
    const { username } = READER;
    const rows = await lab.sql(
      'select action, object, detail from audit where username = $1 order by audit_id',
      [username],
    );
    const detail = { context: CONTEXT };
    expect(rows.slice(0, 4)).toEqual([
      { action: 'view saved', object: 'Night', detail },
      { action: 'view saved', object: 'Night', detail },
      { action: 'view saved', object: 'Last night', detail },
      { action: 'view removed', object: 'Last night', detail },
    ]);
    await lab.sql(
      `insert into saved_views (context_id, user_id, name, address, shared, live)
       select context_id, user_id, 'view ' || i, '?', false, false
       from contexts, users, generate_series(1, $2) i where username = $1`,
      [username, LIMITS.viewsPerUser - 1],
    );
    const { errors } = await send('saveView', 'name: "one more", address: "?"', READER);
    expect(errors?.[0]?.message).toBe(
      'The change cannot be made - you have 100 views here, remove one first',
    );
    expect(await save('name: "C", live: true', READER)).toMatchObject({ live: true });
  });

  it('are not seen if their owner may not read the context, and go with the owner', async () => {
    expect(await namesOf(READER)).toContain('B');
    await lab.write((to) => revokeGrant(to, { name: 'ada', context: CONTEXT }));
    expect(await namesOf(READER)).not.toContain('B');
    await lab.write((to) => removeUser(to, 'ada'));
    expect(await lab.sql(`select name from saved_views where name in ('B', 'Mine')`)).toEqual([]);
  });
});
