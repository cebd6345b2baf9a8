import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeUser, revokeGrant } from '../../../access/users.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';

const COLONS = { username: 'zoë', token: 'to:ken:ö' };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  await lab.apply({ context: 'secret', groups: [group(2)] });
  await lab.addUser(COLONS, [CONTEXT, 'secret']);
  await lab.addUser({ username: 'bob', token: 'bob-token' }, [CONTEXT]);
});

afterAll(() => lab.close());

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const VIEWER = '{ viewer { username contexts { name } } }';

describe('credentials (decision 11)', () => {
  it.each([
    ['Basic', basic(ADA)],
    ['basic, in another case', { authorization: basic(ADA)['authorization']?.replace('B', 'b') }],
    ['Bearer with x-username', { authorization: 'Bearer ada-token', 'x-username': 'ada' }],
  ])('are accepted as %s', async (_, headers) => {
    const answer = await lab.graphql(VIEWER, {}, headers as Record<string, string>);
    expect(answer.data).toEqual({ viewer: { username: 'ada', contexts: [{ name: 'lab' }] } });
    expect(answer.status).toBe(200);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  it('may have colons in the token, and letters of any language', async () => {
    expect(await lab.data(VIEWER, {}, COLONS)).toMatchObject({ viewer: { username: 'zoë' } });
  });

  it('are never read from the query string or the body', async () => {
    const query = `?username=ada&api_token=ada-token&query=${encodeURIComponent(VIEWER)}`;
    expect((await lab.call(`/graphql${query}`)).status).toBe(401);
    const posted = await lab.call('/graphql?username=ada&api_token=ada-token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: VIEWER }),
    });
    expect(posted.status).toBe(401);
  });

  it('work for a GET too', async () => {
    const answer = await lab.call(`/graphql?query=${encodeURIComponent(VIEWER)}`, {
      headers: { ...basic(ADA), accept: 'application/json' },
    });
    expect(JSON.parse(answer.text)).toMatchObject({ data: { viewer: { username: 'ada' } } });
  });
});

describe('without credentials', () => {
  const none = {};

  it('introspection and __typename are open', async () => {
    expect(await lab.graphql('{ __typename }', {}, none)).toMatchObject({
      status: 200,
      data: { __typename: 'Query' },
    });
    const types = '{ __schema { queryType { name } } __type(name: "Topper") { name } }';
    expect(await lab.graphql(types, {}, none)).toMatchObject({
      status: 200,
      data: { __schema: { queryType: { name: 'Query' } }, __type: { name: 'Topper' } },
    });
  });

  it.each([
    ['viewer', '{ viewer { username } }'],
    ['viewer, only its type', '{ viewer { __typename } }'],
    ['contexts', '{ contexts { name } }'],
    ['context', '{ context(name: "lab") { name } }'],
    ['a context that does not exist', '{ context(name: "nowhere") { name } }'],
    ['node', '{ node(id: "x") { id } }'],
    ['nodes', '{ nodes(ids: ["x"]) { id } }'],
    ['an empty list of nodes', '{ nodes(ids: []) { id } }'],
    ['a field beside an open one', '{ __typename contexts { name } }'],
  ])('%s is UNAUTHENTICATED with status 401', async (_, query) => {
    const answer = await lab.graphql(query, {}, none);
    expect(answer.errors).not.toHaveLength(0);
    for (const { message, extensions } of answer.errors ?? []) {
      expect([message, extensions.code]).toEqual(['Invalid API token', 'UNAUTHENTICATED']);
    }
    expect(answer.status).toBe(401);
    // Never Basic: a browser would store the credentials and send them on its own.
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('wrong credentials', () => {
  const WRONG: readonly [string, Record<string, string>][] = [
    ['a wrong token', basic({ ...ADA, token: 'wrong' })],
    ['an unknown user', basic({ ...ADA, username: 'nobody' })],
    ['an empty token', basic({ ...ADA, token: '' })],
    ['neither user nor token', { authorization: `Basic ${encoded(':')}` }],
    ['no colon', { authorization: `Basic ${encoded('ada')}` }],
    ['text that is not Base64', { authorization: 'Basic %%%%' }],
    ['only a scheme', { authorization: 'Basic' }],
    ['an unknown scheme', { authorization: 'Digest ada-token' }],
    ['a token without scheme', { authorization: 'ada-token' }],
    ['an empty header', { authorization: '' }],
    ['a Bearer token without a username', { authorization: 'Bearer ada-token' }],
    [
      'the Bearer token of another user',
      { authorization: 'Bearer ada-token', 'x-username': 'bob' },
    ],
    ['a wrong Bearer token', { authorization: 'Bearer x', 'x-username': 'ada' }],
    ['a NUL', basic({ ...ADA, username: 'ada\0' })],
  ];

  it.each(WRONG)('(%s) fail the whole request, open fields included', async (_, headers) => {
    for (const query of ['{ __typename }', VIEWER, '{ __schema { queryType { name } } }']) {
      const answer = await lab.graphql(query, {}, headers);
      expect(JSON.parse(answer.text)).toEqual({
        errors: [{ message: 'Invalid API token', extensions: { code: 'UNAUTHENTICATED' } }],
      });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('get the same answer for an unknown user and a wrong token, byte for byte', async () => {
    const [wrong, unknown] = await Promise.all(
      [
        { ...ADA, token: 'wrong' },
        { ...ADA, username: 'nobody' },
      ].map((credentials) => lab.graphql(VIEWER, {}, basic(credentials))),
    );
    expect(unknown?.text).toBe(wrong?.text);
    const names = (headers: object) => Object.keys(headers).sort();
    expect(names(unknown?.headers ?? {})).toEqual(names(wrong?.headers ?? {}));
  });
});

describe('grants (decision 12)', () => {
  const NAMES = '{ contexts { name } viewer { contexts { name } } }';

  it('decide which contexts are listed', async () => {
    expect(await lab.data(NAMES)).toEqual({
      contexts: [{ name: 'lab' }],
      viewer: { contexts: [{ name: 'lab' }] },
    });
    const both = [{ name: 'lab' }, { name: 'secret' }];
    expect(await lab.data(NAMES, {}, COLONS)).toEqual({
      contexts: both,
      viewer: { contexts: both },
    });
  });

  it('do not reveal whether a context without one exists', async () => {
    const query = '{ secret: context(name: "secret") { id } nowhere: context(name: "no") { id } }';
    expect(await lab.data(query)).toEqual({ secret: null, nowhere: null });
    const names = ['__proto__', 'constructor', 'LAB', '', 'lab\0', 'läb', '\ud800'];
    for (const name of names) {
      const asked = 'query ($name: String!) { context(name: $name) { id } }';
      expect(await lab.data(asked, { name })).toEqual({ context: null });
    }
  });

  it('stop working with the first request after they are revoked', async () => {
    const query = `{ context(name: "secret") { counterGroup(guid: "${guidOf(2)}") { name } } }`;
    expect(await lab.data(query, {}, COLONS)).toMatchObject({ context: { counterGroup: {} } });
    await lab.write((connection) =>
      revokeGrant(connection, { name: COLONS.username, context: 'secret' }),
    );
    expect(await lab.data(query, {}, COLONS)).toEqual({ context: null });
  });

  it('need an existing user and its current token', async () => {
    const token = await lab.write((connection) => rotateToken(connection, COLONS.username));
    expect((await lab.graphql(VIEWER, {}, basic(COLONS))).status).toBe(401);
    expect((await lab.graphql(VIEWER, {}, basic({ ...COLONS, token }))).status).toBe(200);
    await lab.write((connection) => removeUser(connection, COLONS.username));
    expect((await lab.graphql(VIEWER, {}, basic({ ...COLONS, token }))).status).toBe(401);
  });
});
