import { createHash } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, listUsers, removeUser, revokeGrant } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rotateToken } from '../support/database/rotate-token.ts';
import { onConnection } from '../support/database/rows-of.ts';

let database: TestDatabase;

const run = <T>(work: (client: pg.Client) => Promise<T>) => onConnection(database.url, work);

beforeEach(async () => {
  database = await createTestDatabase();
  await run((client) => applyDeclaration(client, { context: 'lab' }));
  await run((client) => applyDeclaration(client, { context: 'office' }));
});
afterEach(() => database.drop());

const digest = (token: string) => createHash('sha256').update(token).digest('hex');

/** The stored digest of a user's token. */
const stored = (name: string) =>
  run(async (client) => {
    const { rows } = await client.query(
      `select encode(digest, 'hex') as digest from tokens join users using (user_id)
       where username = $1`,
      [name],
    );
    return rows[0]?.digest;
  });

/** A user who is a reader of these contexts. */
const listed = (name: string, ...contexts: string[]) => ({
  name,
  contexts,
  grants: contexts.map(reader),
});

const reader = (context: string) => ({ context, role: 'reader' });

describe('a user', () => {
  it('is added with a random token, of which only the digest is kept', async () => {
    const added = await run((client) => addUser(client, { name: 'anna', contexts: ['lab'] }));
    expect(added).toEqual({
      name: 'anna',
      created: true,
      newToken: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      granted: ['lab'],
      grantedBefore: [],
      roleChanged: [],
      limitChanged: [],
      grants: [reader('lab')],
    });
    expect(await stored('anna')).toBe(digest(added.newToken ?? ''));
  });

  it('is added with the token that is given', async () => {
    const added = await run((client) =>
      addUser(client, { name: 'anna', token: 'secret', contexts: [] }),
    );
    expect(added.newToken).toBeNull();
    expect(await stored('anna')).toBe(digest('secret'));
  });

  it('keeps token and grants when more contexts are granted', async () => {
    await run((client) => addUser(client, { name: 'anna', token: 'secret', contexts: ['lab'] }));
    const again = await run((client) =>
      addUser(client, { name: 'anna', contexts: ['office', 'lab'] }),
    );
    expect(again).toEqual({
      name: 'anna',
      created: false,
      newToken: null,
      granted: ['office'],
      grantedBefore: ['lab'],
      roleChanged: [],
      limitChanged: [],
      grants: [reader('lab'), reader('office')],
    });
    // Giving the current token changes nothing.
    await run((client) => addUser(client, { name: 'anna', token: 'secret', contexts: ['lab'] }));
    expect(await run(listUsers)).toEqual([listed('anna', 'lab', 'office')]);
    expect(await stored('anna')).toBe(digest('secret'));
  });

  it('who exists gets neither another token nor a grant that comes with it', async () => {
    const token = 'other';
    await run((client) => addUser(client, { name: 'anna', token: 'secret', contexts: ['lab'] }));
    const adding = run((client) => addUser(client, { name: 'anna', token, contexts: ['office'] }));
    await expect(adding).rejects.toThrow(
      'The token must be the one that anna has, or be left out, because the user already exists: ' +
        'without it contexts are granted; `countergraph user rotate anna` makes a new token',
    );
    expect(await run(listUsers)).toEqual([listed('anna', 'lab')]);
    expect(await stored('anna')).toBe(digest('secret'));
  });

  it('is not added when a context is unknown', async () => {
    const adding = run((client) => addUser(client, { name: 'anna', contexts: ['lab', 'nowhere'] }));
    await expect(adding).rejects.toThrow(
      'There is no context nowhere (the contexts are lab, office): ' +
        'create it with `countergraph apply` or an import',
    );
    expect(await run(listUsers)).toEqual([]);
  });

  it('gets a new token by rotation', async () => {
    await run((client) => addUser(client, { name: 'anna', token: 'secret', contexts: [] }));
    const token = await run((client) => rotateToken(client, 'anna'));
    expect(await stored('anna')).toBe(digest(token));
    expect(await run((client) => rotateToken(client, 'anna'))).not.toBe(token);
  });

  it('loses one grant, and only that', async () => {
    await run((client) => addUser(client, { name: 'anna', contexts: ['lab', 'office'] }));
    await run((client) => revokeGrant(client, { name: 'anna', context: 'lab' }));
    expect(await run(listUsers)).toEqual([listed('anna', 'office')]);
    await expect(
      run((client) => revokeGrant(client, { name: 'anna', context: 'lab' })),
    ).rejects.toThrow('User anna has no grant for context lab');
  });

  it('is a reader by default, and keeps an existing role', async () => {
    const add = (contexts: readonly string[], role?: 'reader' | 'editor') =>
      run((client) => addUser(client, { name: 'anna', contexts, role }));
    await add(['lab']);
    const promoted = await add(['lab', 'office'], 'editor');
    expect(promoted).toMatchObject({
      granted: ['office'],
      grantedBefore: ['lab'],
      roleChanged: ['lab'],
      limitChanged: [],
      grants: [
        { context: 'lab', role: 'editor' },
        { context: 'office', role: 'editor' },
      ],
    });
    expect((await add(['lab'])).grants).toEqual(promoted.grants);
    expect(await add(['lab'], 'reader')).toMatchObject({ granted: [], roleChanged: ['lab'] });
    expect(await add(['lab'], 'reader')).toMatchObject({ granted: [], roleChanged: [] });
    expect((await run(listUsers))[0]?.grants).toEqual([
      { context: 'lab', role: 'reader' },
      { context: 'office', role: 'editor' },
    ]);
  });

  it('is removed with token and grants', async () => {
    await run((client) => addUser(client, { name: 'anna', contexts: ['lab'] }));
    await run((client) => addUser(client, { name: 'bert', contexts: ['lab'] }));
    await run((client) => removeUser(client, 'anna'));
    expect(await run(listUsers)).toEqual([listed('bert', 'lab')]);
    expect(await stored('anna')).toBeUndefined();
  });

  it('who does not exist is named in the error', async () => {
    const message = 'There is no user bob: `countergraph user list` shows all';
    await expect(run((client) => rotateToken(client, 'bob'))).rejects.toThrow(message);
    await expect(run((client) => removeUser(client, 'bob'))).rejects.toThrow(message);
    await expect(
      run((client) => revokeGrant(client, { name: 'bob', context: 'lab' })),
    ).rejects.toThrow(message);
  });
});
