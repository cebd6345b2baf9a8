import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenDigest } from '../../../db/token-digest.ts';
import { bearerOf, connectMcp, type McpClient } from '../../support/http/mcp-client.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  GROUPS,
  HOSTS,
  KEYS,
  LIMITS_OF_USERS,
  limitGrant,
  METERS,
  PAIRS,
  PROBES,
  randomLines,
  SPAN,
  startLimitedLab,
  startWholeLab,
  USES,
} from './limited-labs.ts';

const SEED = Math.floor(Math.random() * 2 ** 31);

/** The limits of a user and of a group of an identity provider, in a session of that user. */
const { probes: OWN, host: OF_GROUP } = LIMITS_OF_USERS;
const BOTH = 'probes and host';

type Asked = { readonly whole: TestService; readonly part: TestService; readonly username: string };

let whole: TestService;
const parts = new Map<string, TestService>();
let cookie = '';

beforeAll(async () => {
  if (!OWN || !OF_GROUP) throw new Error('these limits are there');
  const imports = [1, 2, 3, 4].map((n) => randomLines(SEED + n, n * 150));
  whole = await startWholeLab(imports);
  await whole.mergeNow();
  for (const [username, limit] of Object.entries(LIMITS_OF_USERS)) {
    parts.set(username, await startLimitedLab(whole, imports, { username, limits: [limit] }));
  }
  await whole.addUser({ ...ADA, username: BOTH }, [CONTEXT]);
  await limitGrant(whole, BOTH, OWN);
  cookie = await sessionWithGroup(OF_GROUP);
  const limits = [OWN, OF_GROUP];
  parts.set(BOTH, await startLimitedLab(whole, imports, { username: BOTH, limits }));
});

afterAll(async () => {
  await whole.close();
  for (const part of parts.values()) await part.close();
});

/** Begins a session in which a provider counts the user among a group, which has a limit. */
async function sessionWithGroup(limit: NonNullable<typeof OF_GROUP>): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await whole.sql(`insert into users (username, is_group) values ('hosts', true)`);
  await whole.sql(`insert into grants (user_id, context_id)
    select user_id, context_id from users, contexts where is_group`);
  await limitGrant(whole, 'hosts', limit);
  await whole.sql(
    `insert into sessions (digest, user_id, token_digest, ends_at, groups)
     select $1, user_id, digest, now() + interval '1 hour', '{hosts}'
     from users join tokens using (user_id) where username = $2`,
    [tokenDigest(secret), BOTH],
  );
  return `countergraph_session=${secret}`;
}

const username = fc.constantFrom(...Object.keys(LIMITS_OF_USERS), BOTH);
const userWithToken = fc.constantFrom(...Object.keys(LIMITS_OF_USERS));

const asked = (name: string): Asked => ({
  whole,
  part: parts.get(name) as TestService,
  username: name,
});

const time = fc.integer({ min: 0, max: 1500 }).map((minutes) => SPAN.from + 60 * minutes);

const window = fc.oneof(
  fc.constant({ preset: 'ALL_AVAILABLE' }),
  fc
    .tuple(time, time)
    .map(([a, b]) => ({ interval: { from: Math.min(a, b), to: Math.max(a, b) + 60 } })),
  fc.constant({ interval: { from: SPAN.from, to: SPAN.from + 7200 } }),
);

const filter = fc.record(
  {
    cidr: fc.constantFrom(['10.1.0.0/16'], ['10.1.2.3'], ['192.168.0.0/16', '2001:db8::/32']),
    match: fc.constantFrom('^0A', '01$', '.'),
    search: fc.constantFrom('label', '10.1.2', 'dns'),
    excludeKeys: fc.constant(['0A.01.02.03']),
  },
  { requiredKeys: [] },
);

const question = fc.record(
  {
    guid: fc.constantFrom(...GROUPS.map(({ guid }) => guid)),
    meter: fc.constantFrom(...METERS.map(({ id }) => id)),
    window,
    probe: fc.constantFrom(...PROBES, 'p9'),
    filter,
    rankBy: fc.constantFrom('METRIC', 'GROWTH', 'DECLINE', 'NEW', 'PEAK', 'PERCENTILE'),
    percentile: fc.constantFrom(50, 95),
    maxItems: fc.integer({ min: 1, max: 5 }),
    prefix: fc.constant({ ipv4: 16, ipv6: 40 }),
    step: fc.constantFrom(300, 3600),
    every: fc.constantFrom(3600, 7200),
    key: fc.constantFrom(...[...KEYS.values()].flat()),
    crosskey: fc.constantFrom(PAIRS, USES),
  },
  { requiredKeys: ['guid', 'meter', 'window', 'maxItems', 'step', 'every', 'key', 'crosskey'] },
);

const TOTALS = 'total others othersMatching keyCount';
const KEY = 'key label rank metric rankValue share volume averageRate peak';
const DOCUMENT = `query ($guid: Guid!, $meter: Int!, $window: WindowInput!, $probe: String,
  $filter: KeyFilterInput, $rankBy: RankBy! = METRIC, $percentile: Float, $maxItems: Int!,
  $prefix: PrefixInput, $step: Int!, $every: Int!, $key: String!, $crosskey: Guid!) {
  context(name: "${CONTEXT}") {
    totalWindow { from to } probes alerts { name } alertEvents { edges { cursor } }
    counterGroup(guid: $guid) {
      name timeInterval(probe: $probe) { from to } drilldowns { guid }
      topper(meter: $meter, window: $window, probe: $probe, filter: $filter, rankBy: $rankBy,
        percentile: $percentile, maxItems: $maxItems, prefix: $prefix) {
        ${TOTALS} window { from to } availableWindow { from to }
        keys { ${KEY} series(step: $step) { at value } percentiles(ranks: [50, 100]) { rank value }
          previous { metric rank } drilldown(crosskey: $crosskey, maxItems: 2) { ${TOTALS} } }
        series(step: $step) { at total others }
        flatSeries(maxPoints: 7) { at key label value }
      }
      topperTrend(meter: $meter, window: $window, probe: $probe, every: $every, maxItems: 2) {
        ${TOTALS} keys { key metric }
      }
      keys(first: 3) { totalCount edges { cursor node { id key label } } pageInfo { hasNextPage } }
      some: keys(window: $window, search: "1") { totalCount edges { node { key } } }
      key(key: $key) { id label drilldown(crosskey: $crosskey, maxItems: 2) { ${TOTALS} } }
    }
  }
}`;

type Answered = { data: unknown; errors?: readonly { message: string }[] };

/** The answer, with its errors in an order of their own. */
async function graphql(lab: TestService, variables: object, headers: Record<string, string>) {
  const { text } = await lab.call('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: DOCUMENT, variables }),
  });
  const { data, errors = [] } = JSON.parse(text) as Answered;
  return { data, errors: errors.map((error) => JSON.stringify(error)).sort() };
}

describe('whoever is limited', () => {
  it('gets every field of a topper as if only that had been imported', async () => {
    let found = 0;
    const isSame = fc.asyncProperty(question, username, async (variables, name) => {
      const { part } = asked(name);
      const own = basic({ ...ADA, username: name });
      const inSession = { cookie, 'sec-fetch-site': 'same-origin' };
      const limited = await graphql(whole, variables, name === BOTH ? inSession : own);
      const expected = await graphql(part, variables, own);
      if (JSON.stringify(expected.data).includes('"metric"')) found += 1;
      expect({ ...limited, name, SEED }).toEqual({ ...expected, name, SEED });
    });
    await fc.assert(isSame, { numRuns: FUZZ_CASES, endOnFailure: true });
    expect(found).toBeGreaterThan(FUZZ_CASES / 5);
  }, 900_000);

  it('gets the same of REST, its metrics included', async () => {
    const isSame = fc.asyncProperty(question, userWithToken, async (each, name) => {
      const { from, to } = 'interval' in each.window ? each.window.interval : SPAN;
      const parameters = {
        username: name,
        counter_group: each.guid,
        meter: each.meter,
        window_fromts: from,
        window_tots: to,
        maxitems: each.maxItems,
        resolve_keys: true,
        ...(each.probe && { probe_id: each.probe }),
        ...(each.filter?.match && { key_filter: each.filter.match }),
      };
      const ask = async (lab: TestService) => {
        const query = new URLSearchParams({ context: CONTEXT });
        for (const [key, value] of Object.entries(parameters)) query.set(key, String(value));
        const scraped = await lab.call(`/metrics/toppers?${query}`, {
          headers: basic({ ...ADA, username: name }),
        });
        const { text, status } = await lab.rest('topper', parameters);
        const groups = await lab.rest('groups', { username: name, get_totals: true });
        return { text, status, groups: groups.text, scraped: scraped.text, name, SEED };
      };
      expect(await ask(whole)).toEqual(await ask(asked(name).part));
    });
    await fc.assert(isSame, { numRuns: FUZZ_CASES, endOnFailure: true });
  }, 900_000);

  it('gets the same of the tools of MCP', async () => {
    const clients = new Map<string, { limited: McpClient; own: McpClient }>();
    const clientsOf = async (name: string) => {
      const headers = bearerOf({ ...ADA, username: name });
      const made = clients.get(name) ?? {
        limited: await connectMcp(whole.url, headers),
        own: await connectMcp(asked(name).part.url, headers),
      };
      clients.set(name, made);
      return made;
    };
    const isSame = fc.asyncProperty(question, userWithToken, async (each, name) => {
      const { limited, own } = await clientsOf(name);
      const counterGroup = each.guid;
      const calls = [
        ['list_contexts', {}],
        ['list_groups', { context: CONTEXT }],
        ['search_keys', { context: CONTEXT, counterGroup, search: '1' }],
        ['alerts', { context: CONTEXT }],
        [
          'topper',
          {
            context: CONTEXT,
            counterGroup,
            meter: `${each.meter}`,
            maxItems: each.maxItems,
            compare: true,
            window: { from: SPAN.from, to: SPAN.to },
          },
        ],
      ] as const;
      for (const [tool, given] of calls) {
        const answer = await limited.call(tool, given);
        expect({ tool, answer, name, SEED }).toEqual({
          tool,
          answer: await own.call(tool, given),
          name,
          SEED,
        });
      }
    });
    await fc.assert(isSame, { numRuns: Math.ceil(FUZZ_CASES / 5), endOnFailure: true });
    for (const { limited, own } of clients.values()) {
      await limited.client.close();
      await own.client.close();
    }
  }, 900_000);

  it('is not served what was remembered for another, in turns', async () => {
    const ask = (name: string) =>
      whole.data(
        DOCUMENT,
        {
          guid: HOSTS,
          meter: 0,
          window: { preset: 'ALL_AVAILABLE' },
          maxItems: 5,
          step: 3600,
          every: 7200,
          key: '0A.01.02.03',
          crosskey: PAIRS,
        },
        { ...ADA, username: name },
      );
    const names = ['network', 'networks', 'probe', 'probes', ADA.username];
    const first = new Map<string, unknown>();
    for (const name of names) first.set(name, await ask(name));
    expect(new Set([...first.values()].map((answer) => JSON.stringify(answer))).size).toBe(5);
    for (const name of [...names, ...names.reverse()]) {
      expect(await ask(name)).toEqual(first.get(name));
    }
  });
});

describe('whoever sees nothing', () => {
  const credentials = { ...ADA, username: 'nothing' };

  const ask = (query: string, extensions: object = {}) =>
    whole.call('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...basic(credentials) },
      body: JSON.stringify({ query, extensions }),
    });

  it('is told no plan, which would show where others have readings', async () => {
    const query = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${HOSTS}") {
      topper(window: { preset: ALL_AVAILABLE }) { total } } } }`;
    const { extensions } = JSON.parse((await ask(query, { plan: true })).text);
    expect(extensions.plan).toEqual([]);
  });

  it('may match any pattern with no keys', async () => {
    const fields = Array.from({ length: 90 }, (_, i) => {
      const match = `A{1000}B{1000}${i}`;
      return `t${i}: topper(maxItems: 1, window: { preset: ALL_AVAILABLE },
        filter: { match: "${match}" }) { keyCount }`;
    });
    const query = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${PAIRS}") {
      ${fields.join('\n')} } } }`;
    const { data, errors } = JSON.parse((await ask(query)).text);
    expect(errors).toBeUndefined();
    expect(data.context.counterGroup.t89).toEqual({ keyCount: 0 });
  });
});
