import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readMetrics } from '../support/http/metrics-text.ts';
import { DAY, group, guidOf, meter, T0 } from '../support/lab/lab.ts';
import { labelKey } from '../support/lab/label-key.ts';
import { ADA, basic, CONTEXT, type Credentials } from '../support/lab/service.ts';
import { type AlertLab, GRID, GROUP, reading, startAlertLab, windowEnd } from './alert-lab.ts';

const OTHER = 'other';
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: AlertLab;

/** A reading in the last bucket of the n-th window after T0. */
const inWindow = (n: number, key: string, value: number) => reading(key, n * GRID - 60, value);

beforeAll(async () => {
  lab = await startAlertLab({
    groups: [group(1, { meters: [meter(0, 2), meter(1, 5)] }), group(2), group(3)],
    settings: { compileAfter: 1 },
  });
  await lab.apply({ context: OTHER, groups: [group(1)] });
  await lab.addUser(BOB, [OTHER]);
  await lab.importSamples([inWindow(1, 'a', 1), { ...inWindow(1, 'x', 1), group: guidOf(2) }]);
  await lab.declare({
    big: {
      when: { key_above: 10 },
      severity: 'critical',
      description: 'a big one',
      filter: { match: '.' },
    },
    low: { when: { total_below: 5 }, meter: 0, window_seconds: 600 },
    off: { when: { key_above: 1 }, enabled: false },
    quiet: { group: guidOf(2), when: { total_above: 1_000_000 } },
  });
  await labelKey(lab, GROUP, ['a', 'Big A']);
  const windows = [
    [inWindow(2, 'a', 11)],
    [inWindow(3, 'a', 25), inWindow(3, 'b', 12)],
    [inWindow(4, 'b', 30), inWindow(5, 'c', 1)],
    [inWindow(6, 'c', 9)],
  ];
  for (const lines of windows) {
    await lab.importSamples(lines);
    await lab.decideAlertsNow();
  }
});

afterAll(() => lab.close());

type Event = { id: string; startedAt: number; alert: { id: string; name: string } };

type Page = {
  edges: { cursor: string; node: Event }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string | null };
};

const PAGE = `query ($alert: String, $first: Int, $after: String) { context(name: "${CONTEXT}") {
  alertEvents(alert: $alert, first: $first, after: $after) {
    edges { cursor node { id startedAt alert { id name } } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;

async function page(args: Readonly<Record<string, unknown>> = {}): Promise<Page> {
  const { context } = await lab.data<{ context: { alertEvents: Page } }>(PAGE, args);
  return context.alertEvents;
}

const inContext = (selection: string): string => `{ context(name: "${CONTEXT}") { ${selection} } }`;

describe('the alerts of a context', () => {
  it('are its rules by name, with what they watch and what is firing', async () => {
    const { context } = await lab.data<{ context: { alerts: unknown[] } }>(
      inContext(`alerts { name severity description enabled condition comparison threshold probe
        filtered windowSeconds evaluatedTo counterGroup { guid } meter { index name units }
        firing { startedAt endedAt value peakValue key { key label counterGroup { guid } } } }`),
    );
    const common = {
      counterGroup: { guid: GROUP },
      meter: { index: 0, name: 'Meter 0', units: 'bytes' },
      probe: null,
      description: null,
      severity: 'warning',
      enabled: true,
      filtered: false,
      windowSeconds: GRID,
      evaluatedTo: windowEnd(5),
      firing: [],
    };
    expect(context.alerts).toEqual([
      {
        ...common,
        name: 'big',
        severity: 'critical',
        description: 'a big one',
        filtered: true,
        condition: 'a key above 10',
        comparison: 'KEY_ABOVE',
        threshold: 10,
      },
      {
        ...common,
        name: 'low',
        condition: 'the total below 5',
        comparison: 'TOTAL_BELOW',
        threshold: 5,
        windowSeconds: 600,
      },
      {
        ...common,
        name: 'off',
        enabled: false,
        condition: 'a key above 1',
        comparison: 'KEY_ABOVE',
        threshold: 1,
        evaluatedTo: null,
      },
      {
        ...common,
        name: 'quiet',
        counterGroup: { guid: guidOf(2) },
        condition: 'the total above 1000000',
        comparison: 'TOTAL_ABOVE',
        threshold: 1_000_000,
        evaluatedTo: null,
      },
    ]);
  });

  it('have events, newest first, with their keys', async () => {
    const { context } = await lab.data<{ context: { alertEvents: { edges: unknown[] } } }>(
      inContext(`alertEvents { edges { node { startedAt endedAt value peakValue
        alert { name } key { key readable label } } } }`),
    );
    const a = { key: 'a', readable: 'a', label: 'Big A' };
    const b = { key: 'b', readable: 'b', label: 'b' };
    expect(context.alertEvents.edges).toEqual([
      {
        node: {
          startedAt: windowEnd(3),
          endedAt: windowEnd(5),
          value: 12,
          peakValue: 30,
          alert: { name: 'big' },
          key: b,
        },
      },
      {
        node: {
          startedAt: windowEnd(2),
          endedAt: windowEnd(4),
          value: 11,
          peakValue: 25,
          alert: { name: 'big' },
          key: a,
        },
      },
    ]);
  });
});

describe('pages of events', () => {
  /** Of each of two rules; together more than a page has by default. */
  const COUNT = 26;

  beforeAll(async () => {
    // Several events of each rule in each second.
    await lab.sql(
      `insert into alert_events (event_id, alert_id, context_id, key, started_at, ended_at, value,
         peak_value)
       select gen_random_uuid(), a.alert_id, a.context_id, 'k' || n, $1 - n / 7, $1, 1, 1
       from alerts a, generate_series(1, $2::int) n where a.name in ('big', 'quiet')`,
      [T0 - DAY, COUNT],
    );
  });
  afterAll(() => lab.sql('delete from alert_events where started_at < $1', [T0]));

  it('list 50 events if first is missing or null', async () => {
    expect((await page()).edges).toHaveLength(50);
    expect((await page({ first: null })).edges).toHaveLength(50);
  });

  it.each([1, 7, 1000])('of %i cover all events once, newest first', async (first) => {
    for (const alert of [null, 'big', 'quiet', 'low']) {
      const found: Event[] = [];
      let after: string | null = null;
      do {
        const next: Page = await page({ alert, first, after });
        expect(next.pageInfo.hasPreviousPage).toBe(after !== null);
        found.push(...next.edges.map(({ node }) => node));
        after = next.pageInfo.hasNextPage ? next.pageInfo.endCursor : null;
        if (after !== null) expect(next.edges).toHaveLength(first);
      } while (after !== null);
      const stored = await lab.sql<{ count: number }>(
        `select count(*)::int as count from alert_events e join alerts a using (alert_id)
         where $1::text is null or a.name = $1`,
        [alert],
      );
      expect(found).toHaveLength(stored[0]?.count ?? 0);
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      const times = found.map(({ startedAt }) => startedAt);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      if (alert) expect(new Set(found.map((each) => each.alert.name)).size).toBeLessThan(2);
    }
  });

  it('are empty for a rule that is not declared', async () => {
    const nothing = { hasNextPage: false, hasPreviousPage: false, endCursor: null };
    for (const alert of ['nothing', '', '\0']) {
      expect(await page({ alert })).toMatchObject({ edges: [], pageInfo: nothing });
    }
  });

  const cursor = (text: string): string => Buffer.from(text).toString('base64url');

  it.each<readonly [string, Record<string, unknown>]>([
    ['first must be an integer from 0 to 1000, got -1', { first: -1 }],
    ['first must be an integer from 0 to 1000, got 1001', { first: 1001 }],
    ['after must be the cursor of an edge', { after: '' }],
    ['after must be the cursor of an edge', { after: 'nonsense' }],
    ['after must be the cursor of an edge', { after: cursor('event:1:nonsense') }],
    ['after must be the cursor of an edge', { after: cursor('key:a') }],
    [
      'after must be the cursor of an edge',
      { after: cursor(`event:${'9'.repeat(20)}:00000000-0000-0000-0000-000000000000`) },
    ],
  ])('are refused: %s', async (message, args) => {
    const { errors } = await lab.graphql(PAGE, args, basic(ADA));
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});

describe('an answer with alerts', () => {
  /** Whether a response came from the cache during `ask`. */
  async function isRemembered(ask: () => Promise<unknown>): Promise<boolean> {
    const labels = { memory: 'responses', found: 'yes' };
    const hits = async () =>
      readMetrics((await lab.call('/metrics')).text).value(
        'countergraph_memory_lookups_total',
        labels,
      ) ?? 0;
    const before = await hits();
    await ask();
    return (await hits()) > before;
  }

  it.each([
    ['that lists rules', inContext('alerts { name evaluatedTo }')],
    ['that lists events', inContext('alertEvents { edges { node { startedAt } } }')],
    [
      'that finds no events',
      inContext('alertEvents(alert: "none") { edges { node { startedAt } } }'),
    ],
  ])('%s is never cached, compiled or not', async (_, document) => {
    for (let time = 0; time < 6; time += 1) {
      expect(await isRemembered(() => lab.data(document))).toBe(false);
    }
  });

  it('shows what was decided a moment ago, even if no data have come', async () => {
    const document = inContext('alerts { name evaluatedTo } counterGroups { name }');
    const decidedTo = async () => {
      const { context } = await lab.data<{
        context: { alerts: { name: string; evaluatedTo: number | null }[] };
      }>(document);
      return context.alerts.find(({ name }) => name === 'big')?.evaluatedTo;
    };
    for (let time = 0; time < 6; time += 1) expect(await decidedTo()).toBe(windowEnd(5));
    await lab.sql("update alerts set evaluated_to = $1 where name = 'big'", [windowEnd(8)]);
    expect(await decidedTo()).toBe(windowEnd(8));
    await lab.sql("update alerts set evaluated_to = $1 where name = 'big'", [windowEnd(5)]);
  });
});

const NODE = `query ($id: ID!) { node(id: $id) { __typename id
  ... on Alert { name condition firing { id } } ... on AlertEvent { startedAt endedAt } } }`;

const node = async (id: string, credentials = ADA) =>
  (await lab.data<{ node: Record<string, unknown> | null }>(NODE, { id }, credentials)).node;

describe('the id of an alert or event', () => {
  const changed = (id: string, change: (text: string) => string): string =>
    Buffer.from(change(Buffer.from(id, 'base64url').toString())).toString('base64url');

  it('finds nothing for users who may not read the context, or if it is changed', async () => {
    const { context } = await lab.data<{ context: { alerts: { id: string }[] } }>(
      inContext('alerts { id }'),
    );
    const [event] = (await page()).edges;
    for (const id of [context.alerts[0]?.id ?? '', event?.node.id ?? '']) {
      expect(await node(id)).toMatchObject({ id });
      expect(await node(id, BOB)).toBeNull();
      expect(
        await node(
          changed(id, (text) => text.replace(`:${CONTEXT}/`, `:${OTHER}/`)),
          BOB,
        ),
      ).toBeNull();
      for (const ending of ['', '/', '/x', '0', "'"]) {
        const other = changed(id, (text) => `${text.slice(0, -1)}${ending}`);
        if (other !== id) expect(await node(other)).toBeNull();
      }
      expect(await node(changed(id, (text) => text.toUpperCase()))).toBeNull();
    }
  });

  it('of a rule works even with the largest number that a rule can have', async () => {
    await lab.sql('alter table alerts alter column alert_id restart with 2147483647');
    await lab.declare({ last: { when: { key_above: 1 }, window_seconds: 900 } });
    const { context } = await lab.data<{ context: { alerts: { id: string; name: string }[] } }>(
      inContext('alerts { id name firing { id } }'),
    );
    const last = context.alerts.find(({ name }) => name === 'last');
    expect(await node(last?.id ?? '')).toMatchObject({ name: 'last', firing: [] });
    await lab.declare({ last: { remove: true } });
    expect(await node(last?.id ?? '')).toBeNull();
    await lab.sql('alter table alerts alter column alert_id restart with 1000');
  });
});

describe('a rule that is declared differently', () => {
  it('is a new alert; earlier events belong to the previous one', async () => {
    const idOf = async () =>
      (
        await lab.data<{ context: { alerts: { id: string; name: string }[] } }>(
          inContext('alerts { id name }'),
        )
      ).context.alerts.find(({ name }) => name === 'big')?.id ?? '';
    const before = await idOf();
    const events = (await page({ alert: 'big' })).edges;
    expect(events.map(({ node: event }) => event.alert.id)).toEqual([before, before]);
    await lab.declare({ big: { when: { key_above: 20 } } });
    expect(await idOf()).not.toBe(before);
    expect(await node(before)).toMatchObject({ name: 'big', condition: 'a key above 10' });
    expect(await node(await idOf())).toMatchObject({ condition: 'a key above 20' });
    expect((await page({ alert: 'big' })).edges).toEqual(events);
  });
});

describe('the alerts of a group that is not enabled', () => {
  it('are hidden like the group, and so are their events', async () => {
    await lab.declare({ hidden: { group: guidOf(3), when: { total_above: 1 }, enabled: false } });
    await lab.sql(
      `insert into alert_events (event_id, alert_id, context_id, started_at, ended_at, value,
         peak_value)
       select gen_random_uuid(), alert_id, context_id, $1, $1, 9, 9 from alerts
       where name = 'hidden'`,
      [T0],
    );
    const { context } = await lab.data<{ context: { alerts: { id: string; name: string }[] } }>(
      inContext('alerts { id name }'),
    );
    const alert = context.alerts.find(({ name }) => name === 'hidden')?.id ?? '';
    const [event] = (await page({ alert: 'hidden' })).edges;
    expect(await node(alert)).not.toBeNull();
    expect(await node(event?.node.id ?? '')).not.toBeNull();
    await lab.apply({ context: CONTEXT, groups: [group(3, { enabled: false })] });
    const names = await lab.data<{ context: { alerts: { name: string }[] } }>(
      inContext('alerts { name }'),
    );
    expect(names.context.alerts.map(({ name }) => name)).not.toContain('hidden');
    expect((await page({ alert: 'hidden' })).edges).toEqual([]);
    expect(await node(alert)).toBeNull();
    expect(await node(event?.node.id ?? '')).toBeNull();
  });
});

describe('statements', () => {
  async function cost(document: string): Promise<number> {
    lab.emptyCaches();
    const statements = lab.watchStatements();
    await lab.data(document);
    return statements().length;
  }

  const EVENT = 'id value key { label attributes { name } } alert { name meter { name } }';

  it('are as many for all rules and events as for one', async () => {
    const first = (count: number) =>
      inContext(`alertEvents(first: ${count}) { edges { node { ${EVENT} } } }`);
    expect(await cost(first(50))).toBe(await cost(first(1)));
    const aliased = (count: number) =>
      inContext(
        Array.from(
          { length: count },
          (_, i) => `e${i}: alertEvents(first: ${i + 1}) { edges { node { ${EVENT} } } }`,
        ).join(' '),
      );
    expect(await cost(aliased(20))).toBe(await cost(aliased(1)));
    expect(await cost(inContext(`alerts { name firing { ${EVENT} } }`))).toBeLessThan(10);
  });

  it('for a list of rules are user, begin, alerts, manifest, catalog and commit', async () => {
    expect(await cost(inContext('alerts { name counterGroup { name } }'))).toBe(6);
  });
});
