import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { group, startLab } from '../support/lab/lab.ts';
import { basic, CONTEXT, type TestService } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await lab.close();
});

let first = '';

beforeEach(async () => {
  await lab.sql(`delete from users where username = 'anna'`);
  await lab.sql('delete from audit');
  first = (await run('user', 'add', 'anna', '--context', CONTEXT)).out[0] ?? '';
});

const run = (...args: string[]) => runOnDatabase(args);

async function added(...options: string[]): Promise<string> {
  const { status, out, err } = await run('user', 'token', 'add', 'anna', ...options);
  expect([status, err.join()]).toEqual([0, expect.stringContaining('not shown again')]);
  expect(out).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  return out[0] ?? '';
}

const listed = async () =>
  JSON.parse((await run('user', 'token', 'list', 'anna', '--json')).out[0] ?? '');

/** Whether the server takes each of the tokens. */
const taken = (...tokens: string[]) =>
  Promise.all(
    tokens.map(async (token) => {
      const headers = basic({ username: 'anna', token });
      const { status } = await lab.graphql('{ viewer { username } }', {}, headers);
      return status === 200;
    }),
  );

const trace = async () => {
  const { out } = await run('audit', '--json');
  return out.map((text) => JSON.parse(text)).map(({ action, detail }) => [action, detail]);
};

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Rounds the time until then to hours. */
const hoursTo = (time: string) => Math.round((Date.parse(time) - Date.now()) / 3_600_000);

describe('user token', () => {
  it('adds tokens beside the first one, each with a name, and all of them are taken', async () => {
    const grafana = await added('--name', 'grafana', '--expires', '90d');
    const nightly = await added('--name', 'nightly report', '--expires', '2999-12-31');
    expect(await taken(first, grafana, nightly, 'wrong')).toEqual([true, true, true, false]);
    const row = { created: TIME, last_used: null };
    const tokens = await listed();
    expect(tokens).toEqual([
      { ...row, name: 'default', expires: null },
      { ...row, name: 'grafana', expires: TIME },
      { ...row, name: 'nightly report', expires: '2999-12-31T00:00:00.000Z' },
    ]);
    expect(hoursTo(tokens[1].expires)).toBe(90 * 24);
    expect((await run('user', 'token', 'list', 'anna')).out).toEqual([
      expect.stringMatching(/^default: made \S+Z, never expires, never used$/),
      expect.stringMatching(/^grafana: made \S+Z, expires \S+Z, never used$/),
      expect.stringMatching(/^nightly report: made \S+Z, expires 2999-12-31\S+Z, never used$/),
    ]);
  });

  it('says when a token was last used, also by a session', async () => {
    const grafana = await added('--name', 'grafana');
    await taken(grafana);
    const startedAt = Date.now();
    await lab.keepTokenUsesNow();
    const use = async () => (await listed()).map((token: { last_used: string }) => token.last_used);
    const [unused, used] = await use();
    expect([unused, used]).toEqual([null, TIME]);
    expect(Math.abs(Date.parse(used) - startedAt)).toBeLessThan(60_000);
    const { headers } = await lab.call('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ username: 'anna', token: first }),
    });
    const cookie = headers['set-cookie']?.[0] ?? '';
    await lab.keepTokenUsesNow();
    await lab.sql('update tokens set last_used_at = null');
    await lab.graphql('{ viewer { username } }', {}, { 'sec-fetch-site': 'same-origin', cookie });
    await lab.keepTokenUsesNow();
    expect(await use()).toEqual([TIME, null]);
  });

  it('revokes one token with its sessions, and leaves the others', async () => {
    const grafana = await added('--name', 'grafana');
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    for (const token of [first, grafana]) {
      const body = JSON.stringify({ username: 'anna', token });
      expect((await lab.call('/session', { method: 'POST', headers, body })).status).toBe(200);
    }
    const revoked = await run('user', 'token', 'revoke', 'anna', '--name', 'grafana');
    expect(revoked.out).toEqual(['Token grafana of user anna is no longer valid.']);
    expect(await taken(first, grafana)).toEqual([true, false]);
    expect(await lab.sql('select count(*)::int as n from sessions')).toEqual([{ n: 1 }]);
    expect((await listed()).map(({ name }: { name: string }) => name)).toEqual(['default']);
    expect((await trace()).slice(2)).toEqual([
      ['token made', { token: 'grafana', expires: null }],
      ['session began', {}],
      ['session began', {}],
      ['token revoked', { token: 'grafana', expires: null }],
      ['session ended', {}],
    ]);
  });

  it('is refused once it has expired, and listed as expired until the next is made later', async () => {
    const grafana = await added('--name', 'grafana', '--expires', '1d');
    const expire = (days: number) =>
      lab.sql(
        `update tokens set expires_at = now() - make_interval(days => $1)
        where name = 'grafana'`,
        [days],
      );
    await lab.sql(`update tokens set expires_at = now() - interval '1 s' where name = 'grafana'`);
    expect(await taken(first, grafana)).toEqual([true, false]);
    await added('--name', 'other');
    expect((await run('user', 'token', 'list', 'anna')).out[1]).toMatch(/^grafana: .* expired 20/);
    const again = await run('user', 'token', 'add', 'anna', '--name', 'grafana');
    expect([again.status, again.err.join()]).toEqual([
      1,
      expect.stringMatching(/has a token grafana already, which expired at 20.*user rotate anna/),
    ]);
    await expire(LIMITS.expiredTokenDays + 1);
    await added('--name', 'grafana');
    expect(await trace()).toContainEqual(['token expired', { token: 'grafana', expires: TIME }]);
  });

  it.each([
    ['add', 'nobody', '--name', 'x', 1, /There is no user nobody: .*user list/],
    ['list', 'nobody', '', '', 1, /There is no user nobody/],
    [
      'revoke',
      'anna',
      '--name',
      'x',
      1,
      /has no token x \(there are: default\): .*token list anna/,
    ],
    ['add', 'anna', '--name', 'default', 1, /has a token default already: choose another name, or/],
    ['add', 'anna', '--name', ' ', 2, /must be a name of 1 to 100 characters/],
    ['add', 'anna', '--name', 'x'.repeat(101), 2, /must be a name of 1 to 100 characters/],
  ])('%s %s %s %s is refused', async (command, user, option, value, status, message) => {
    const options = option === '' ? [] : [option, value];
    const refused = await run('user', 'token', command, user, ...options);
    expect([refused.status, refused.out]).toEqual([status, []]);
    expect(refused.err.join()).toMatch(message);
  });

  it.each([
    ['0d', 2, /--expires must be a span of time such as 90d, 12h or 30m, at most 36500d; got "0d"/],
    ['36501d', 2, /at most 36500d; got "36501d"/],
    ['90days', 2, /got "90days"/],
    ['soon', 2, /--expires must be a time: .*; got "soon"/],
    ['2020-01-01', 1, /must expire in the future, got 2020-01-01T00:00:00.000Z, and the clock of/],
  ])('add --expires %s is refused', async (expires, status, message) => {
    const refused = await run('user', 'token', 'add', 'anna', '--name', 'x', '--expires', expires);
    expect([refused.status, refused.out]).toEqual([status, []]);
    expect(refused.err.join()).toMatch(message);
    expect(await listed()).toHaveLength(1);
  });

  it('adds no more than a user may have', async () => {
    await lab.sql(`insert into tokens (user_id, name, digest, expires_at)
      select user_id, 'token ' || n, sha256(int4send(n)), now() + make_interval(days => n)
      from users, generate_series(-1, ${LIMITS.tokensPerUser - 2}) n
      where username = 'anna' and n <> 0`);
    await added('--name', 'last');
    const refused = await run('user', 'token', 'add', 'anna', '--name', 'one more');
    expect(refused.err.join()).toMatch(
      /at most 50 tokens, and anna has as many: .*user token revoke anna --name NAME` makes room/,
    );
  });
});

describe('user rotate', () => {
  const rotate = (...options: string[]) => run('user', 'rotate', 'anna', ...options);

  it('replaces the first token, or the one that is named, which keeps its end', async () => {
    const grafana = await added('--name', 'grafana', '--expires', '90d');
    const second = (await rotate()).out[0] ?? '';
    expect(await taken(first, second, grafana)).toEqual([false, true, true]);
    const third = (await rotate('--name', 'grafana')).out[0] ?? '';
    expect(await taken(second, grafana, third)).toEqual([true, false, true]);
    const tokens = await listed();
    expect(tokens.map(({ name }: { name: string }) => name)).toEqual(['default', 'grafana']);
    expect(hoursTo(tokens[1].expires)).toBe(90 * 24);
    await rotate('--name', 'grafana', '--expires', '30d');
    expect(hoursTo((await listed())[1].expires)).toBe(30 * 24);
  });

  it('lets the former token live on for a while, with the sessions that it began', async () => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const body = JSON.stringify({ username: 'anna', token: first });
    await lab.call('/session', { method: 'POST', headers, body });
    const { out, err } = await rotate('--overlap', '1h', '--json');
    const rotated = JSON.parse(out[0] ?? '');
    expect([err, rotated]).toEqual([
      [],
      {
        name: 'anna',
        newToken: expect.stringMatching(/^[\w-]{43}$/),
        former: { name: expect.stringMatching(/^default-until-\S+Z$/), expires: TIME },
      },
    ]);
    expect(hoursTo(rotated.former.expires)).toBe(1);
    expect(await taken(first, rotated.newToken)).toEqual([true, true]);
    expect(await lab.sql('select count(*)::int as n from sessions')).toEqual([{ n: 1 }]);
    expect((await trace()).at(-1)).toEqual([
      'token replaced',
      {
        token: 'default',
        expires: null,
        former: rotated.former.name,
        formerExpires: rotated.former.expires,
      },
    ]);
    await run('user', 'token', 'revoke', 'anna', '--name', rotated.former.name);
    expect(await taken(first, rotated.newToken)).toEqual([false, true]);
  });

  it('lets a former token live no longer than it would have', async () => {
    await added('--name', 'brief', '--expires', '1h');
    const { out } = await rotate('--name', 'brief', '--overlap', '5h', '--json');
    expect(hoursTo(JSON.parse(out[0] ?? '').former.expires)).toBe(1);
  });

  it.each([
    [['--name', 'nothing'], 1, /has no token nothing \(there are: default\)/],
    [['--overlap', '31d'], 2, /--overlap must be a span .*, at most 30d; got "31d"/],
    [['--overlap', '2999-01-01'], 2, /--overlap must be a span .*; got "2999-01-01"/],
    [['--expires', '2020-01-01'], 1, /must expire in the future/],
  ])('%j is refused, and changes nothing', async (options, status, message) => {
    const refused = await rotate(...options);
    expect([refused.status, refused.out]).toEqual([status, []]);
    expect(refused.err.join()).toMatch(message);
    expect(await taken(first)).toEqual([true]);
  });

  it('asks for another end where the former token has expired', async () => {
    await lab.sql('update tokens set expires_at = now()');
    const refused = await rotate();
    expect(refused.err.join()).toMatch(
      /expired at .*user rotate anna --name default --expires 90d/,
    );
    const token = (await rotate('--expires', '90d', '--overlap', '1h')).out[0] ?? '';
    expect(await taken(first, token)).toEqual([false, true]);
    expect(await listed()).toHaveLength(1);
  });
});
