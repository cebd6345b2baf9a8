import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser, removeUser } from '../../../access/users.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { basic, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';

const LIMITED = { loginFailures: 3, loginFailuresPerAddress: 100, loginFailureSeconds: 600 };
const CHOSEN = 'chosen-by-a-person-1';

let lab: TestService;
let users = 0;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    settings: { ...LIMITED, trustProxy: ['127.0.0.1'] },
  });
});

afterAll(() => lab.close());

/** A new user with a chosen token. */
async function newUser(chosenToken = CHOSEN): Promise<Credentials> {
  users += 1;
  const username = `user ${users}`;
  await lab.write((connection) =>
    addUser(connection, { name: username, chosenToken, contexts: [CONTEXT] }),
  );
  return { username, token: chosenToken };
}

const rest = ({ username, token }: Credentials, address = '192.0.2.1') =>
  lab.rest('slices', { username, api_token: token }, { headers: { 'x-forwarded-for': address } });

const graphql = (headers: Record<string, string>) =>
  lab.graphql<{ viewer: { contexts: { name: string }[] } }>(
    '{ viewer { contexts { name } } }',
    {},
    headers,
  );

const identities = (statements: readonly string[]) =>
  statements.filter((text) => text.includes('as "scryptCost"')).length;

describe('a chosen token', () => {
  it('is stored under scrypt', async () => {
    const { username } = await newUser();
    const [row] = await lab.sql<{ bytes: number; cost: number; isDigest: boolean }>(
      `select octet_length(salt) as bytes, scrypt_cost as cost,
         digest = sha256(convert_to('${CHOSEN}', 'UTF8')) as "isDigest"
       from tokens join users using (user_id) where username = '${username}'`,
    );
    expect(row).toEqual({ bytes: 16, cost: 32_768, isDigest: false });
  });

  it('is right wherever a token is sent, and grants what the user is granted', async () => {
    const user = await newUser();
    const bearer = { authorization: `Bearer ${user.token}`, 'x-username': user.username };
    expect((await rest(user)).status).toBe(200);
    for (const headers of [basic(user), bearer]) {
      const { data } = await graphql(headers);
      expect(data.viewer.contexts).toEqual([{ name: CONTEXT }]);
    }
  });

  it('takes one more statement at its first use, and none after it', async () => {
    const user = await newUser();
    const count = async () => {
      const watched = lab.watchStatements();
      expect((await graphql(basic(user))).data.viewer.contexts).toEqual([{ name: CONTEXT }]);
      return identities(watched());
    };
    expect([await count(), await count(), await count()]).toEqual([2, 1, 1]);
  });

  it('may be wrong only as often as any', async () => {
    const user = await newUser();
    const wrong = { ...user, token: 'wrong' };
    const statuses = await Promise.all(Array.from({ length: 6 }, () => rest(wrong, '192.0.2.9')));
    expect(statuses.map(({ status }) => status).sort()).toEqual([401, 401, 401, 429, 429, 429]);
    expect((await rest(user, '192.0.2.9')).status).toBe(429);
    expect((await rest(user, '192.0.2.10')).status).toBe(200);
  });

  it('is refused once it is replaced or removed, by whatever', async () => {
    const user = await newUser();
    expect((await rest(user)).status).toBe(200);
    const token = await lab.write((connection) => rotateToken(connection, user.username));
    expect((await rest(user)).status).toBe(401);
    expect((await rest({ ...user, token })).status).toBe(200);
    await lab.write((connection) => removeUser(connection, user.username));
    expect((await rest({ ...user, token })).status).toBe(401);
    // The same token of a new user, as a random one would be stored.
    await lab.write((connection) =>
      addUser(connection, { name: user.username, token: user.token, contexts: [CONTEXT] }),
    );
    const { data } = await graphql(basic(user));
    expect(data.viewer.contexts).toEqual([{ name: CONTEXT }]);
  });

  it('stays that of a user to whom a context is granted with it', async () => {
    const { username: name } = await newUser();
    const grant = (chosenToken: string) =>
      lab.write((connection) => addUser(connection, { name, chosenToken, contexts: [CONTEXT] }));
    await expect(grant('another-chosen-token')).rejects.toThrow('The token must be the one');
    expect(await grant(CHOSEN)).toMatchObject({ created: false, newToken: null });
    expect((await rest({ username: name, token: CHOSEN })).status).toBe(200);
  });
});
