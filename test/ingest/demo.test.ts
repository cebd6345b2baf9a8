import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemo, type DemoReport } from '../../ingest/demo/demo.ts';
import { createOffice } from '../../ingest/demo/demo-office.ts';
import { demoFlows } from '../../ingest/demo/demo-traffic.ts';
import { createRandom } from '../../ingest/demo/random.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { onConnection, rowsOf } from '../support/database/rows-of.ts';
import { storedKeys } from '../support/reference/stored-readings.ts';

const NOW = 1_700_100_037;
const END = NOW - (NOW % 60);

let database: TestDatabase;
let report: DemoReport;

const rows = (text: string, values: unknown[] = []) => rowsOf(database.url, text, values);

beforeAll(async () => {
  database = await createTestDatabase();
  report = await createDemo({ databaseUrl: database.url, now: () => NOW });
});
afterAll(() => database.drop());

describe('the demo', () => {
  it('is a context with a user, pools and a week of slices', async () => {
    expect(report.created).toBe(true);
    const digest = createHash('sha256').update('demo').digest('hex');
    expect(
      await rows(`select username, contexts.name, encode(digest, 'hex') as digest, slice_seconds from users
        join tokens using (user_id) join grants using (user_id) join contexts using (context_id)`),
    ).toEqual([{ username: 'demo', name: 'demo', digest, slice_seconds: 86_400 }]);
    expect(await rows('select username, is_admin from users')).toEqual([
      { username: 'demo', is_admin: true },
    ]);
    expect(await rows('select name, status from pools order by name')).toEqual([
      { name: 'archive', status: 'offline' },
      { name: 'oper', status: 'online' },
      { name: 'ref', status: 'online' },
    ]);
    const [slices] = await rows(
      'select count(*)::int, min(starts_at)::int, max(ends_at)::int from slices',
    );
    expect(slices?.['count']).toBeGreaterThanOrEqual(8);
  });

  it('has rules, which begin where none of their windows has a part of the outline', async () => {
    expect(
      await rows(`select name, begins_after::int as "beginsAfter", window_seconds <= 7200 as "isShort"
        from alerts order by name`),
    ).toEqual(
      ['Host sends much', 'Line out is busy', 'Telnet is tried'].map((name) => ({
        name,
        beginsAfter: END - 86_400,
        isShort: true,
      })),
    );
  });

  it('has traffic in all groups for a week up to now', async () => {
    const groups = await rows(
      `select g.name, min(first_bucket)::int as first, max(last_bucket)::int as last
       from coverage join counter_groups g using (group_id) group by 1`,
    );
    expect(groups).toHaveLength(10);
    for (const { first, last } of groups) {
      expect(first).toBeLessThan(END - 7 * 86_400);
      expect(last).toBeLessThan(NOW);
      expect(last).toBeGreaterThan(NOW - 600);
    }
    const [size] = await rows('select sum(row_count)::int as rows from segments');
    expect(size?.['rows']).toBe(report.readings);
    expect(report.readings).toBeLessThan(1_000_000);
  });

  it('labels internal and external hosts', async () => {
    const [names] = await rows(
      `select count(*) filter (where label like '%.office.example.com')::int as inside,
         count(*) filter (where label like '%.example.net')::int as outside,
         count(*) filter (where attributes ? 'department')::int as described
       from key_texts join counter_groups g using (group_id) where g.name = 'Hosts'`,
    );
    for (const count of Object.values(names ?? {})) expect(count).toBeGreaterThan(50);
    expect((await hostsWithReadings()).size).toBeGreaterThan((await hostsWithTexts()).length + 50);
  });

  it('labels only hosts with readings', async () => {
    const there = await hostsWithReadings();
    expect((await hostsWithTexts()).filter((key) => !there.has(key))).toEqual([]);
  });

  const hostsWithTexts = async () =>
    (
      await rows(`select key from key_texts join counter_groups g using (group_id)
        where g.name = 'Hosts'`)
    ).map(({ key }) => String(key));

  const hostsWithReadings = () => storedKeys(database.url, 'demo', 'Hosts');

  it('is not created twice', async () => {
    expect(await createDemo({ databaseUrl: database.url, now: () => NOW + 99 })).toEqual({
      created: false,
      flows: 0,
      readings: 0,
    });
  });

  it('has no administrator in a database that is in use', async () => {
    const other = await createTestDatabase();
    try {
      await onConnection(other.url, (client) =>
        client.query("insert into users (username) values ('ada')"),
      );
      await createDemo({ databaseUrl: other.url, now: () => NOW });
      expect(await rowsOf(other.url, 'select from users where is_admin')).toEqual([]);
    } finally {
      await other.drop();
    }
  });

  it('leaves nothing behind if it is aborted', async () => {
    const other = await createTestDatabase();
    try {
      const controller = new AbortController();
      const creating = createDemo({
        databaseUrl: other.url,
        signal: controller.signal,
        now: () => {
          controller.abort(new Error('told to end'));
          return NOW;
        },
      });
      await expect(creating).rejects.toThrow('told to end');
      expect(await rowsOf(other.url, 'select from contexts')).toEqual([]);
      expect(await rowsOf(other.url, 'select from users')).toEqual([]);
    } finally {
      await other.drop();
    }
  });
});

describe('the traffic of the demo', () => {
  const flowsOf = () => {
    const random = createRandom(1);
    return [...demoFlows(createOffice(random), { from: END - 7200, to: END }, random)];
  };

  it('is the same every time', () => {
    expect(flowsOf()).toEqual(flowsOf());
  });

  it('never lies in the future', () => {
    const flows = flowsOf();
    expect(flows.length).toBeGreaterThan(1000);
    const late = flows.filter(({ startUs, durationUs }) => startUs + durationUs > END * 1e6);
    expect(late).toEqual([]);
  });
});
