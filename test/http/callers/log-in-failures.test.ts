import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { group, startLab } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  type Credentials,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const BOB = { username: 'bob', token: 'bob-token' };

const LIMITED = { loginFailures: 3, loginFailuresPerAddress: 8, loginFailureSeconds: 600 };

let lab: TestService;

beforeAll(async () => {
  const settings = { ...LIMITED, trustProxy: ['127.0.0.1'] };
  lab = await startLab({ groups: [group(1)], settings });
  await lab.addUser(BOB, []);
});

afterAll(() => lab.close());

let networks = 0;

/** A network that has sent no request yet. */
const newNetwork = (): string => {
  networks += 1;
  return `2001:db8:${networks.toString(16)}:1`;
};

const from = (network: string, host = 1) => ({ 'x-forwarded-for': `${network}::${host}` });

const rest = ({ username, token }: Credentials, network: string, host?: number) =>
  lab.rest('slices', { username, api_token: token }, { headers: from(network, host) });

const graphql = (headers: Record<string, string>, network: string) =>
  lab.graphql('{ viewer { username } }', {}, { ...headers, ...from(network) });

const bearer = ({ username, token }: Credentials) => ({
  authorization: `Bearer ${token}`,
  'x-username': username,
});

const WRONG = { ...ADA, token: 'wrong' };

async function failAs(credentials: Credentials, network: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const { status, body } = await rest(credentials, network);
    expect([status, body]).toEqual([401, { status: 'ERROR', message: 'Invalid API token' }]);
  }
}

const TOO_MANY = /^Too many failed log-ins, try again in (\d+) seconds$/;

describe('a user who failed to log in too often from an address', () => {
  it('gets 429 there, with the time to retry, even with the right token', async () => {
    const home = newNetwork();
    await failAs(WRONG, home, 3);
    for (const credentials of [WRONG, ADA]) {
      const { status, headers, body } = await rest(credentials, home);
      expect(status).toBe(429);
      expect(body).toEqual({ status: 'ERROR', message: expect.stringMatching(TOO_MANY) });
      const [, seconds] = TOO_MANY.exec((body as { message: string }).message) ?? [];
      expect(headers['retry-after']).toBe(seconds);
      expect(Number(seconds)).toBeGreaterThan(500);
      expect(Number(seconds)).toBeLessThanOrEqual(600);
    }
  });

  it.each([
    ['Basic', basic],
    ['Bearer', bearer],
  ])('gets 429 from GraphQL too, with %s', async (_, headersOf) => {
    const home = newNetwork();
    for (let i = 0; i < 3; i += 1) {
      expect((await graphql(headersOf(WRONG), home)).status).toBe(401);
    }
    const { status, headers, errors } = await graphql(headersOf(ADA), home);
    expect(status).toBe(429);
    expect(errors).toEqual([
      { message: expect.stringMatching(TOO_MANY), extensions: { code: 'LIMIT' } },
    ]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(500);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it('is counted across REST and GraphQL, and all addresses of an IPv6 network', async () => {
    const home = newNetwork();
    await rest(WRONG, home, 1);
    await rest(WRONG, home, 2);
    await graphql(bearer(WRONG), home);
    expect((await rest(ADA, home, 3)).status).toBe(429);
    expect((await graphql(basic(ADA), home)).status).toBe(429);
  });

  it('no longer causes statements', async () => {
    const home = newNetwork();
    await failAs(WRONG, home, 3);
    const statements = lab.watchStatements();
    expect((await rest(WRONG, home)).status).toBe(429);
    expect((await graphql(basic(WRONG), home)).status).toBe(429);
    expect(statements()).toEqual([]);
  });

  it('can log in from elsewhere, and others can log in from there', async () => {
    const home = newNetwork();
    await failAs(WRONG, home, 3);
    expect((await rest(ADA, newNetwork())).status).toBe(200);
    expect((await graphql(basic(BOB), home)).data).toEqual({ viewer: { username: 'bob' } });
  });

  it('may still request what needs no credentials', async () => {
    const home = newNetwork();
    await failAs(WRONG, home, 3);
    const { status } = await lab.graphql('{ __typename }', {}, from(home));
    expect(status).toBe(200);
  });
});

describe('failures', () => {
  it('are forgotten after a success', async () => {
    const home = newNetwork();
    await failAs(WRONG, home, 2);
    expect((await rest(ADA, home)).status).toBe(200);
    await failAs(WRONG, home, 2);
    expect((await rest(ADA, home)).status).toBe(200);
  });

  it('of an unknown user get the same answers as those of a known one', async () => {
    const home = newNetwork();
    const answers = [];
    for (const username of ['ada', 'nobody']) {
      for (let i = 0; i < 4; i += 1) answers.push(await rest({ ...WRONG, username }, home));
    }
    const shapes = answers.map(({ status, headers, body }) => ({
      status,
      names: Object.keys(headers).sort(),
      body: JSON.stringify(body).replace(/\d+/, ''),
    }));
    expect(shapes.slice(4)).toEqual(shapes.slice(0, 4));
  });

  it('that are concurrent get no more 401s than the limit', async () => {
    const home = newNetwork();
    const tokens = Array.from({ length: 40 }, (_, i) => `guess ${i}`);
    const answers = await Promise.all(tokens.map((token) => rest({ ...ADA, token }, home)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(3);
    expect(statuses.filter((status) => status === 429)).toHaveLength(37);
  });

  it('of many users block the whole address, but not users who have logged in there', async () => {
    const office = newNetwork();
    expect((await rest(ADA, office)).status).toBe(200);
    for (let i = 0; i < 8; i += 1) await failAs({ ...WRONG, username: `name ${i}` }, office, 1);
    expect((await rest(BOB, office)).status).toBe(429);
    expect((await rest(ADA, office)).status).toBe(200);
    expect((await graphql(bearer(BOB), newNetwork())).status).toBe(200);
  });

  it('of one script, however many, do not block its address', async () => {
    const office = newNetwork();
    for (let i = 0; i < 30; i += 1) await rest(WRONG, office);
    expect((await rest(BOB, office)).status).toBe(403);
  });

  it('are not counted for requests without credentials', async () => {
    const home = newNetwork();
    for (let i = 0; i < 12; i += 1) {
      const { status } = await lab.rest('slices', { api_token: '' }, { headers: from(home) });
      expect(status).toBe(401);
    }
    expect((await rest(ADA, home)).status).toBe(200);
  });
});

describe('after the window', () => {
  it('the right token is accepted again', async () => {
    const settings = { ...LIMITED, loginFailureSeconds: 1, trustProxy: ['127.0.0.1'] };
    const { databaseUrl } = lab;
    const brief = await startTestService({ databaseUrl, settings });
    const at = (credentials: Credentials) =>
      brief.graphql('{ __typename }', {}, { ...basic(credentials), ...from('2001:db8:0:9') });
    try {
      await Promise.all(Array.from({ length: 9 }, () => at(WRONG)));
      const statuses: number[] = [];
      while (statuses.at(-1) !== 200) statuses.push((await at(ADA)).status);
      expect(statuses.slice(0, -1).filter((status) => status !== 429)).toEqual([]);
    } finally {
      await brief.close();
    }
  });
});

describe('the address of a failure', () => {
  it('is not taken from X-Forwarded-For unless the proxy is trusted', async () => {
    const { databaseUrl } = lab;
    const settings = { ...LIMITED, trustProxy: ['192.0.2.1'] };
    const direct = await startTestService({ databaseUrl, settings });
    try {
      for (let i = 0; i < 10; i += 1) {
        const headers = { 'x-forwarded-for': '198.51.100.7' };
        expect((await direct.rest('slices', { api_token: 'wrong' }, { headers })).status).toBe(401);
      }
      // Callers on this machine are never refused for failures.
      expect((await direct.rest('slices')).status).toBe(200);
      const warnings = direct.logText().match(/X-Forwarded-For is not believed/g);
      expect(warnings).toHaveLength(1);
    } finally {
      await direct.close();
    }
  });
});
