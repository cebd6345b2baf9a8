import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../access/users.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { holdTables } from '../support/database/held-tables.ts';
import { rotateToken } from '../support/database/rotate-token.ts';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { ADA, startTestService, type TestService } from '../support/lab/service.ts';
import { CONTEXT, startMcpLab, WINDOW } from './mcp-lab.ts';

const BOB = { username: 'bob', token: 'bob-token' };

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startMcpLab();
  await lab.addUser(BOB, []);
  ada = await connectMcp(lab.url, bearerOf(ADA));
});

afterAll(() => lab.close());

const asked = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };

const fault = (tool: string, more: object) => ada.fault(tool, Object.assign({}, asked, more));

describe('wrong arguments', () => {
  it.each<[string, object, string]>([
    [
      'topper',
      { counterGroup: 'Host' },
      'No counter group "Host" in lab; the groups are: Apps, Hosts, Hosts × Apps',
    ],
    [
      'topper',
      { meter: 'byte' },
      'No meter "byte" in Hosts; the meters are: 0 Total (bytes), 5 Load (percent)',
    ],
    [
      'topper',
      { meter: 7 },
      'No meter 7 in Hosts; the meters are: 0 Total (bytes), 5 Load (percent)',
    ],
    [
      'topper',
      { counterGroup: 'Apps', meter: 9 },
      'The meter 9 Broken (bytes) of Apps cannot be ranked; the meters are: 0 Total (bytes)',
    ],
    ['topper', { probe: 'p2' }, 'No probe "p2" in lab; the probes are: p1'],
    ['topper', { maxItems: 101 }, 'maxItems must be an integer from 1 to 100, got 101'],
    ['topper', { maxItems: '5' }, 'maxItems must be an integer from 1 to 100, got "5"'],
    [
      'topper',
      { counterGroup: undefined },
      'counterGroup is required; it must be the name or GUID of a counter group',
    ],
    [
      'topper',
      { rankBy: 'SIZE' },
      'rankBy must be one of METRIC, PEAK, PERCENTILE, GROWTH, DECLINE, NEW, got "SIZE"',
    ],
    ['topper', { ago: 60 }, 'ago is for compare: true or rankBy GROWTH, DECLINE or NEW'],
    [
      'topper',
      { window: { recentSeconds: 60, preset: 'TODAY' } },
      'window must have exactly one of dates, interval, preset, recentSeconds, startingAt, got {"preset":"TODAY","recentSeconds":60}',
    ],
    [
      'topper',
      { window: { lastHours: 1 } },
      'window has no field lastHours; it has dates, interval, preset, recentSeconds, startingAt',
    ],
    [
      'topper',
      { window: 'today' },
      'window must be an object with dates, interval, preset, recentSeconds, startingAt, got "today"',
    ],
    ['topper', { prefix: { ipv4: 33 } }, 'prefix.ipv4 must be an integer from 0 to 32, got 33'],
    [
      'topper',
      { filter: { keys: 'x' } },
      'filter.keys must be a list, each a key, raw or readable, got "x"',
    ],
    [
      'search_keys',
      { probe: 'p1' },
      'There is no argument probe; the arguments are context, destinationNode, fromDr, counterGroup, search, match, cidr, window, first, after',
    ],
    // What only GraphQL checks has the code and the message of GraphQL.
    ['topper', { percentile: 50 }, 'BAD_USER_INPUT: percentile'],
    ['topper', { prefix: {}, counterGroup: 'Apps' }, 'BAD_USER_INPUT: prefix'],
    ['topper', { filter: { match: '(' } }, 'BAD_USER_INPUT: match must be an RE2 pattern'],
    ['topper', { timeZone: 'Mars' }, 'BAD_USER_INPUT: timeZone'],
    [
      'topper',
      { window: { dates: { from: 'yesterday', to: 'today' } } },
      'BAD_USER_INPUT: Invalid time window - ',
    ],
    ['topper', { destinationNode: 'x' }, 'BAD_USER_INPUT: Invalid destination node - x'],
  ])('of %s, %j, get an error that says what to give instead', async (tool, more, expected) => {
    expect((await fault(tool, more)).startsWith(expected), await fault(tool, more)).toBe(true);
  });

  it('are all reported at once', async () => {
    expect(await fault('topper', { maxItems: 0, rankBy: 1 })).toMatch(
      /^maxItems must .*; rankBy must /,
    );
  });

  it('of a tool that does not exist are a protocol error', async () => {
    await expect(ada.call('delete_context')).rejects.toThrow(
      'There is no tool "delete_context"; the tools are list_contexts, ',
    );
  });
});

describe('grants', () => {
  it('hide contexts: one that is not granted looks like one that does not exist', async () => {
    for (const tool of ['topper', 'key_series', 'drilldown', 'search_keys']) {
      const key = tool === 'topper' || tool === 'search_keys' ? {} : { key: 'k' };
      for (const context of ['secret', 'nowhere']) {
        const given = Object.assign({ context, counterGroup: 'Hosts' }, key);
        expect(await ada.fault(tool, given)).toBe(
          `No context "${context}"; the contexts you may read: lab`,
        );
      }
    }
    for (const tool of ['list_groups', 'alerts']) {
      expect(await ada.fault(tool, { context: 'secret' })).toContain('you may read: lab');
    }
  });

  it('are checked for each call', async () => {
    const bob = await connectMcp(lab.url, bearerOf(BOB));
    const contexts = async () => (await bob.ask('list_contexts'))['contexts'];
    expect(await contexts()).toEqual([]);
    expect(await bob.fault('topper', asked)).toBe(
      'No context "lab"; the contexts you may read: none',
    );
    await lab.grant(BOB, [CONTEXT]);
    expect(await contexts()).toMatchObject([{ name: CONTEXT }]);
    expect(await bob.ask('topper', asked)).toMatchObject({ total: 1780 });
    await lab.write((connection) =>
      revokeGrant(connection, { name: BOB.username, context: CONTEXT }),
    );
    expect(await contexts()).toEqual([]);
    await bob.client.close();
  });
});

describe('a token', () => {
  it('that is no longer valid makes the next call fail', async () => {
    const bob = await connectMcp(lab.url, bearerOf(BOB));
    await bob.ask('list_contexts');
    await lab.write((connection) => rotateToken(connection, BOB.username));
    await expect(bob.call('list_contexts')).rejects.toThrow();
    await bob.client.close();
  });
});

describe('limits', () => {
  it('are those of GraphQL: a call costs what its query costs', async () => {
    const settings = { graphql: Object.assign({}, readSettings({}).graphql, { cost: 1200 }) };
    const strict = await startTestService({ databaseUrl: lab.databaseUrl, settings });
    try {
      const { ask, fault: refused } = await connectMcp(strict.url, bearerOf(ADA));
      expect(await ask('topper', asked)).toMatchObject({ total: 1780 });
      const wide = Object.assign({ rankBy: 'PEAK', prefix: {} }, asked);
      expect(await refused('topper', wide)).toMatch(/^LIMIT: The cost of the query .* 1200/);
      const { text } = await strict.call('/metrics');
      expect(text).toMatch(/^countergraph_errors_total\{kind="limit"\} 1$/m);
    } finally {
      await strict.close();
    }
  });

  it('of time end a call', async () => {
    const strict = await startTestService({
      databaseUrl: lab.databaseUrl,
      settings: { queryTimeoutSeconds: 1 },
    });
    const client = await connectMcp(strict.url, bearerOf(ADA));
    const held = await holdTables(lab.databaseUrl, ['segments']);
    try {
      expect(await client.fault('topper', asked)).toBe('TIMEOUT: Query timed out after 1 seconds');
    } finally {
      await held.release();
      await strict.close();
    }
  });
});
