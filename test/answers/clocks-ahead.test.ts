import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withClient } from '../support/database/database.ts';
import { group, guidOf, startLab } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, type Line, type TestService } from '../support/lab/service.ts';

const HOUR = 3600;
const GROUP = guidOf(1);
const CROSS = guidOf(2);

/** The start of the current minute: where the newest data are. */
const NOW = Math.floor(Date.now() / 60_000) * 60;
const AHEAD = NOW + 8 * HOUR;

let lab: TestService;

const line = (key: string, ts: number, more: Partial<Line> = {}): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: 10 },
  ...more,
});

/** Five readings an hour apart until now, and two that are eight hours ahead. */
const LINES = [
  ...[4, 3, 2, 1, 0].map((hours) => line('right', NOW - hours * HOUR)),
  line('right', NOW, { group: CROSS, key: 'right\\right' }),
  line('ahead', AHEAD),
  line('ahead', AHEAD, { group: CROSS, key: 'right\\ahead' }),
  line('only ahead', AHEAD + HOUR, { probe: 'ahead' }),
  line('right', NOW - HOUR, { probe: 'behind' }),
  line('ahead', AHEAD, { probe: 'behind' }),
];

beforeAll(async () => {
  const crosskey = { parentguid: GROUP, crosskeyguid_1: GROUP };
  lab = await startLab({
    groups: [group(1), group(2, { key_kind: 'crosskey', crosskey })],
    lines: LINES,
  });
});

afterAll(() => lab.close());

type Told = { readonly keys: readonly string[]; readonly window: object };

type ToldTopper = { readonly window: object; readonly keys: readonly { readonly key: string }[] };

const ask = async (window: string, more = ''): Promise<Told> => {
  type Answer = { context: { counterGroup: { topper: ToldTopper } } };
  const { context } = await lab.data<Answer>(
    `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") {
      topper(window: { ${window} } ${more}) { window { from to } keys { key } } } } }`,
  );
  const { window: resolved, keys } = context.counterGroup.topper;
  return { window: resolved, keys: keys.map(({ key }) => key) };
};

const restKeys = async (parameters: object) =>
  (await lab.topper({ counter_group: GROUP, ...parameters })).keys.map(({ key }) => key);

describe('data that are ahead of the clock', () => {
  it('do not move the most recent seconds', async () => {
    const window = { from: NOW + 60 - HOUR, to: NOW + 60 };
    expect(await ask('recentSeconds: 3600')).toEqual({ keys: ['right'], window });
    expect(await ask('preset: LATEST_TOPPER_BUCKET')).toMatchObject({
      window: { to: expect.toSatisfy((to: number) => to <= NOW + 60) },
    });
    expect(await restKeys({ recentsecs: HOUR })).toEqual(['right']);
    expect(await restKeys({ window_seconds: HOUR })).toEqual(['right']);
    const query = new URLSearchParams({ context: CONTEXT, counter_group: GROUP, recentsecs: '60' });
    const scraped = await lab.call(`/metrics/toppers?${query}`, { headers: basic(ADA) });
    expect(scraped.text).toContain('key="right"');
    expect(scraped.text).not.toContain('ahead');
  });

  it('are not in lists of keys and drill-downs of that window either', async () => {
    const window = 'window: { recentSeconds: 3600 }';
    const document = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") {
      keys(${window}) { edges { node { key } } }
      key(key: "right") { drilldown(${window}) { keys { key } } } } } }`;
    const { context } = await lab.data<{ context: { counterGroup: unknown } }>(document);
    expect(context.counterGroup).toEqual({
      keys: { edges: [{ node: { key: 'right' } }] },
      key: { drilldown: { keys: [{ key: 'right\\right' }] } },
    });
  });

  it('are there in all data, in the time interval, and by time', async () => {
    const window = { from: NOW - 4 * HOUR, to: AHEAD + HOUR + 60 };
    const keys = ['right', 'ahead', 'only ahead'];
    expect(await ask('preset: ALL_AVAILABLE')).toEqual({ keys, window });
    const interval = `interval: { from: ${AHEAD}, to: ${AHEAD + 60} }`;
    expect((await ask(interval)).keys).toEqual(['ahead']);
    const document = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") {
      timeInterval { from to } } } }`;
    expect(await lab.data(document)).toEqual({
      context: { counterGroup: { timeInterval: window } },
    });
  });

  it('are the newest of a probe that has no others, and of no other probe', async () => {
    expect(await ask('recentSeconds: 60', 'probe: "ahead"')).toEqual({
      keys: ['only ahead'],
      window: { from: AHEAD + HOUR, to: AHEAD + HOUR + 60 },
    });
    expect(await ask('recentSeconds: 60', 'probe: "behind"')).toEqual({
      keys: ['right'],
      window: { from: NOW - HOUR, to: NOW - HOUR + 60 },
    });
  });

  it('stay ahead when segments are merged, and when others are imported', async () => {
    await lab.importSamples([line('ahead', AHEAD + 120)]);
    await lab.mergeNow();
    expect(await ask('recentSeconds: 60')).toMatchObject({ window: { to: NOW + 60 } });
  });

  it('become the newest in time, although nothing changes and answers are remembered', async () => {
    const windows = async () => [
      (await ask('recentSeconds: 60')).window,
      await restKeys({ recentsecs: 60 }),
    ];
    const before = [{ from: NOW, to: NOW + 60 }, ['right']];
    expect(await windows()).toEqual(before);
    expect(await windows()).toEqual(before);
    await letPass(lab, 8 * HOUR);
    const later = [{ from: AHEAD + 120, to: AHEAD + 180 }, ['ahead']];
    expect(await windows()).toEqual(later);
    expect(await windows()).toEqual(later);
  });
});

/** Sets the clock of a lab's database forward for connections that are opened from now on. */
async function letPass({ databaseUrl }: TestService, seconds: number): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await withClient(databaseUrl, async (client) => {
    await client.query('create schema later');
    for (const clock of ['now', 'clock_timestamp']) {
      await client.query(
        `create function later.${clock}() returns timestamptz language sql volatile
         as $$ select pg_catalog.${clock}() + interval '${seconds} seconds' $$`,
      );
    }
    await client.query('grant usage on schema later to public');
    await client.query(`alter database ${name} set search_path = later, pg_catalog, public`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  });
}
