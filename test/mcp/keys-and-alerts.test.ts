import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearerOf, connectMcp, type McpClient } from '../support/http/mcp-client.ts';
import { fireAlerts } from '../support/lab/fire-alerts.ts';
import { group, guidOf, meter, T0 } from '../support/lab/lab.ts';
import { ADA, type TestService } from '../support/lab/service.ts';
import { APPS, CONTEXT, HOST_A, PAIRS, startMcpLab, WINDOW } from './mcp-lab.ts';

let lab: TestService;
let ada: McpClient;

beforeAll(async () => {
  lab = await startMcpLab();
  ada = await connectMcp(lab.url, bearerOf(ADA));
  // The client checks answers against the schemas only for tools that it has listed.
  await ada.client.listTools();
});

afterAll(() => lab.close());

const asked = { context: CONTEXT, counterGroup: 'Hosts', window: WINDOW };

describe('drilldown', () => {
  const drill = (more: object) => Object.assign({ key: '10.0.0.1' }, asked, more);

  it('breaks one key down, with the total of its pairs', async () => {
    const { structured, text } = await ada.call('drilldown', drill({ crosskey: 'hosts × apps' }));
    expect(structured).toMatchObject({
      key: { readable: '10.0.0.1' },
      crosskey: { guid: PAIRS, name: 'Hosts × Apps' },
      meter: { name: 'Total', units: 'bytes' },
      keys: [
        { rank: 1, readable: '10.0.0.1\\80', metric: 900, share: 0.6 },
        { rank: 2, readable: '10.0.0.1\\443', metric: 600, share: 0.4 },
      ],
      keyCount: 2,
      total: 1500,
      others: 0,
    });
    expect(text).toContain('Hosts × Apps by Total in bytes with 10.0.0.1 ("alpha") in lab');
  });

  it('needs no cross-key group where there is only one', async () => {
    const answer = await ada.ask('drilldown', drill({ maxItems: 1 }));
    expect(answer).toMatchObject({ keys: [{ metric: 900 }], others: 600, total: 1500 });
    expect(answer).toEqual(await ada.ask('drilldown', drill({ maxItems: 1, crosskey: PAIRS })));
  });

  it('says which drill-downs exist, and when the key has no data', async () => {
    expect(await ada.fault('drilldown', drill({ crosskey: 'Apps' }))).toBe(
      'No drill-down "Apps" of Hosts; it drills down to: Hosts × Apps',
    );
    expect(await ada.fault('drilldown', drill({ counterGroup: PAIRS, key: 'x' }))).toBe(
      'Hosts × Apps has no drill-downs: no cross-key group has its keys',
    );
    expect(await ada.fault('drilldown', drill({ key: '10.9.9.9' }))).toBe(
      'No key "10.9.9.9" in Hosts; search_keys finds its keys',
    );
  });

  it('suggests no other window if only this key has no pairs in it', async () => {
    const { structured, text } = await ada.call('drilldown', drill({ key: '10.0.0.2' }));
    expect(structured).toMatchObject({
      keys: [],
      total: 0,
      availableWindow: { from: T0, to: T0 + 60 },
    });
    expect(text).toContain('no such key has a reading in the window\n');
  });

  it.each([
    ['is zero', 'zero', { 0: 0 }],
    ['has no reading', 'unread', { 5: 1 }],
  ])('lists the pairs of a key whose own first meter %s', async (_, key, values) => {
    const counters = [meter(0, 2, 'Count'), meter(1, 2, 'Conns'), meter(5, 5, 'Load')];
    const crosskey = { parentguid: guidOf(11), crosskeyguid_1: APPS };
    await lab.apply({
      context: CONTEXT,
      groups: [
        group(11, { name: 'Things', meters: counters }),
        group(12, { name: 'Pairs', key_kind: 'crosskey', meters: counters, crosskey }),
      ],
    });
    await lab.importSamples([
      { group: guidOf(11), key, ts: T0, values },
      { group: guidOf(12), key: `${key}\\00.50`, ts: T0, values: { 1: 5 } },
    ]);
    const window = { preset: 'ALL_AVAILABLE' };
    const given = { counterGroup: 'Things', key, meter: 1, window };
    expect(await ada.ask('drilldown', drill(given))).toMatchObject({
      keys: [{ readable: `${key}\\80`, metric: 5 }],
      keyCount: 1,
      total: 5,
    });
  });
});

describe('search_keys', () => {
  type Field = { name: string; args: { name: string }[] };

  type Page = { keys: { readable: string }[]; totalCount: number; endCursor?: string };

  it('finds keys by a text, page by page', async () => {
    const given = { context: CONTEXT, counterGroup: 'Hosts', search: '10.0.', first: 2 };
    const first = await ada.ask<Page>('search_keys', given);
    expect(first).toMatchObject({
      totalCount: 3,
      keys: [{ key: HOST_A, readable: '10.0.0.1', label: 'alpha' }, { readable: '10.0.0.2' }],
    });
    const after = { after: first.endCursor };
    const second = await ada.ask<Page>('search_keys', Object.assign(after, given));
    expect(second.keys.map(({ readable }) => readable)).toEqual(['10.0.1.1']);
    expect(second.endCursor).toBeUndefined();
  });

  it.each<[object, string[], string]>([
    [{ match: '\\.02$' }, ['10.0.0.2'], 'with a raw key matching "'],
    [{ cidr: ['10.0.0.0/24'] }, ['10.0.0.1', '10.0.0.2'], 'in one of the networks 10.0.0.0/24'],
    [{ cidr: ['10.0.1.0/24', '10.0.0.2/32'] }, ['10.0.0.2', '10.0.1.1'], '10.0.0.2/32'],
    [{ window: WINDOW }, ['10.0.0.1', '10.0.0.2', '10.0.1.1'], 'with a reading in the window'],
    [{ window: { recentSeconds: 60 } }, ['10.0.0.1'], 'with a reading in the window'],
    [
      { search: '10.0.', match: '^0A', cidr: ['10.0.0.0/24'], window: { recentSeconds: 1500 } },
      ['10.0.0.1'],
      'with "10.0." in the label or readable form, with a raw key matching "^0A", in one of ',
    ],
  ])('finds keys by %j, as GraphQL does', async (more, expected, told) => {
    const given = Object.assign({ context: CONTEXT, counterGroup: 'Hosts' }, more);
    const { structured, text } = await ada.call<Page>('search_keys', given);
    expect(structured.keys.map(({ readable }) => readable)).toEqual(expected);
    expect(structured.totalCount).toBe(expected.length);
    expect(text).toContain(told);
  });

  it('passes on the errors of GraphQL', async () => {
    const given = { context: CONTEXT, counterGroup: 'Hosts' };
    const refused = (more: object) => ada.fault('search_keys', Object.assign({}, given, more));
    expect(await refused({ match: '(' })).toMatch(/^BAD_USER_INPUT: match must be an RE2 pattern/);
    expect(await refused({ cidr: ['x'] })).toMatch(/^BAD_USER_INPUT: cidr/);
  });

  it('has all arguments of GraphQL', async () => {
    const { __type } = await lab.data<{ __type: { fields: Field[] } }>(
      '{ __type(name: "CounterGroup") { fields { name args { name } } } }',
    );
    const keys = __type.fields.find(({ name }) => name === 'keys');
    const { tools } = await ada.client.listTools();
    const { properties } = tools.find(({ name }) => name === 'search_keys')?.inputSchema ?? {};
    expect(Object.keys(properties ?? {})).toEqual(
      expect.arrayContaining(keys?.args.map(({ name }) => name) ?? ['keys']),
    );
  });
});

describe('alerts', () => {
  it('lists the rules, what is firing and what has fired', async () => {
    const fired = { context: CONTEXT, startedAt: T0 + 300, key: HOST_A, value: 1500 };
    await fireAlerts(lab, fired);
    const { structured, text } = await ada.call('alerts', { context: CONTEXT });
    expect(structured).toEqual({
      context: CONTEXT,
      alerts: [
        {
          name: 'big talker',
          severity: 'high',
          condition: 'a key above 1200',
          counterGroup: 'Hosts',
          meter: 'Total',
          units: 'bytes',
          enabled: true,
          windowSeconds: 300,
          evaluatedTo: '2024-07-15T00:25:00Z',
          firing: 1,
        },
      ],
      firing: 1,
      events: [
        {
          alert: 'big talker',
          severity: 'high',
          key: { key: HOST_A, readable: '10.0.0.1', label: 'alpha' },
          startedAt: T0 + 300,
          startedTime: '2024-07-15T00:05:00Z',
          endedAt: null,
          endedTime: null,
          value: 1500,
          peakValue: 1501,
          units: 'bytes',
        },
        expect.objectContaining({ key: null, endedTime: '2024-07-15T00:05:00Z' }),
      ],
    });
    expect(text).toContain('still firing: 1,500 bytes (1.5 kB), peak 1,501 bytes (1.5 kB)');
  });

  it('lists the events of one rule, page by page', async () => {
    const given = { context: CONTEXT, alert: 'big talker', first: 1 };
    type Page = { events: { key: object | null }[]; endCursor?: string };
    const { endCursor, events } = await ada.ask<Page>('alerts', given);
    expect(events).toHaveLength(1);
    const next = await ada.ask<Page>('alerts', Object.assign({ after: endCursor }, given));
    expect([next.events.map(({ key }) => key), next.endCursor]).toEqual([[null], undefined]);
    expect(await ada.fault('alerts', { context: CONTEXT, alert: 'x' })).toBe(
      'No alert "x"; the alerts are: big talker',
    );
  });
});
