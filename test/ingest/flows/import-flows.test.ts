import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyDeclaration } from '../../../ingest/declaration/apply.ts';
import {
  createTestDatabase,
  type TestDatabase,
  withClient,
} from '../../support/database/database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';
import { storedReadings } from '../../support/reference/stored-readings.ts';
import {
  CONN_HEADER,
  conn,
  connLog,
  importText,
  NOTHING,
  NOW,
  readingsOf,
  sums,
  traces,
} from '../import-support.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

describe('an import of flows', () => {
  it('creates the context and the flow groups, and reports what it did', async () => {
    const log = connLog(conn(NOW), conn(NOW - 90_000), '#close\tnow');
    expect(await importText(log, { databaseUrl })).toEqual({
      source: 'test.log',
      context: 'lab',
      format: 'zeek',
      lines: 4,
      records: 2,
      from: NOW - 90_000 - (NOW % 60),
      to: NOW + 60 - (NOW % 60),
      readings: 24,
      keys: 12,
      keysAreExact: true,
      slices: 2,
      newSlices: 2,
      expired: null,
      skipped: { events: 0, tunnelLines: 0, notIp: 0 },
      badLines: { count: 0, named: [] },
      lost: { flows: 0, packets: 0, datagrams: 0 },
      exporters: [],
      peakMemoryBytes: expect.any(Number),
    });
    const groups = await rowsOf(
      databaseUrl,
      `select g.name, g.key_kind, bucket_size, topper_bucket_size, sampling_rate, enabled,
         string_agg(m.meter_id || ' ' || m.name, ', ' order by m.meter_id) as meters
       from counter_groups g join meters m using (group_id) where m.type = 2
       group by g.group_id order by g.group_id`,
    );
    const sizes = { bucket_size: 60, topper_bucket_size: 300, sampling_rate: 1, enabled: true };
    const host =
      '0 Total bytes, 1 Received bytes, 2 Transmitted bytes, 3 Packets, 13 New connections';
    expect(groups).toEqual([
      { name: 'Hosts', key_kind: 'ip', ...sizes, meters: host },
      { name: 'Internal Hosts', key_kind: 'ip', ...sizes, meters: host },
      { name: 'External Hosts', key_kind: 'ip', ...sizes, meters: host },
      {
        name: 'Apps',
        key_kind: 'port',
        ...sizes,
        meters: '0 Total bytes, 2 Into home bytes, 3 Out of home bytes, 4 Connections',
      },
      {
        name: 'Protocols',
        key_kind: 'protocol',
        ...sizes,
        meters: '0 Total bytes, 1 Packets, 3 Flows',
      },
      { name: 'Aggregates', key_kind: 'text', ...sizes, meters: '0 Total bytes, 1 Packets' },
      {
        name: 'Hosts × Apps',
        key_kind: 'crosskey',
        ...sizes,
        meters: '0 Total bytes, 4 Connections',
      },
      {
        name: 'Host pairs',
        key_kind: 'crosskey',
        ...sizes,
        meters: '0 Total bytes, 4 Connections',
      },
    ]);
  });

  const TWICE =
    'Bytes sent and received. A flow counts for both its ends, so the total of the group is twice ' +
    'that of the traffic';
  const HALF =
    'Bytes of all traffic, or of one direction. The group holds all traffic twice, as TOTALBW and ' +
    'by direction (DIR_…), so TOTALBW is half of its total';

  /** The descriptions of meter 0 by group. */
  const described = async () =>
    Object.fromEntries(
      (
        await rowsOf<{ name: string; description: string }>(
          databaseUrl,
          `select g.name, m.description from meters m join counter_groups g using (group_id)
           where m.meter_id = 0`,
        )
      ).map(({ name, description }) => [name, description]),
    );

  it('explains correctly in the descriptions why totals differ', async () => {
    await importText(connLog(conn(NOW)), { databaseUrl });
    expect(await described()).toMatchObject({ Hosts: TWICE, Aggregates: HALF });
    const total = async (group: string) =>
      Object.entries(await sums(databaseUrl))
        .filter(([name]) => new RegExp(`^${group} \\S+ 1$`).test(name))
        .reduce((sum, [, value]) => sum + Number(value), 0);
    const traffic = Number((await sums(databaseUrl))['Aggregates TOTALBW 1']);
    expect(traffic).toBe(1100);
    expect(await total('Hosts')).toBe(2 * traffic);
    expect(await total('Aggregates')).toBe(2 * traffic);
    expect(await total('Hosts × Apps')).toBe(2 * (await total('Apps')));
    expect(await total('Host pairs')).toBe(traffic);
  });

  it('replaces its own earlier descriptions, but not those that a user wrote', async () => {
    await importText(connLog(conn(NOW)), { databaseUrl });
    await rowsOf(
      databaseUrl,
      `update meters m set description = case g.name when 'Hosts' then 'Bytes sent and received'
         else 'Ours' end
       from counter_groups g where g.group_id = m.group_id and m.meter_id = 0`,
    );
    await importText(connLog(conn(NOW - 60)), { databaseUrl });
    expect(await described()).toMatchObject({ Hosts: TWICE, Aggregates: 'Ours', Apps: 'Ours' });
  });

  it('declares internal and external hosts as keys of Hosts, also where they were their own', async () => {
    const groupsOfHosts = () =>
      rowsOf(
        databaseUrl,
        `select g.name, o.name as of from counter_groups g
         join counter_groups o on o.group_id = g.keys_of order by g.group_id`,
      );
    const declared = [
      { name: 'Internal Hosts', of: 'Hosts' },
      { name: 'External Hosts', of: 'Hosts' },
    ];
    const log = connLog(conn(NOW), '#close\tnow');
    await importText(log, { databaseUrl });
    expect(await groupsOfHosts()).toEqual(declared);
    await rowsOf(databaseUrl, 'update counter_groups set keys_of = null');
    await rowsOf(
      databaseUrl,
      `insert into key_texts (group_id, key, label, label_source)
       select group_id, '0A.00.00.01', 'printer', 'user' from counter_groups
       where name = 'Internal Hosts'`,
    );
    await importText(connLog(conn(NOW), conn(NOW), '#close\tnow'), { databaseUrl });
    expect(await groupsOfHosts()).toEqual(declared);
    expect(
      await rowsOf(
        databaseUrl,
        'select name, label from key_texts join counter_groups using (group_id)',
      ),
    ).toEqual([{ name: 'Hosts', label: 'printer' }]);
    const audited = "select object from audit where action = 'group changed' order by 1";
    expect(await rowsOf(databaseUrl, audited)).toHaveLength(2);
  });

  it('stores readings by slice and probe, and the coverage', async () => {
    await importText(connLog(conn(NOW, { duration: '120' })), {
      databaseUrl,
      probe: 'p1',
      engine: 3,
    });
    const start = NOW - (NOW % 60);
    const stored = await storedReadings(databaseUrl);
    expect(new Set(stored.map(({ probe }) => probe))).toEqual(new Set(['p1']));
    const hostApps = stored.filter(({ group, slot }) => group === 'Hosts × Apps' && slot === 1);
    expect(hostApps.map(({ key, bucket }) => [key, bucket - start])).toEqual(
      ['0A.00.00.01', 'C6.33.64.01'].flatMap((host) =>
        [0, 60, 120].map((bucket) => [`${host}\\00.50`, bucket]),
      ),
    );
    const engines = await rowsOf(
      databaseUrl,
      'select distinct engine from slices where slice_id = any($1)',
      [stored.map(({ sliceId }) => sliceId)],
    );
    expect(engines).toEqual([{ engine: 3 }]);
    expect(
      await rowsOf(
        databaseUrl,
        `select count(*)::int as groups, min(first_bucket)::int as first, max(last_bucket)::int as last
         from coverage join probes using (probe_id)`,
      ),
    ).toEqual([{ groups: 8, first: NOW - (NOW % 60), last: NOW - (NOW % 60) + 120 }]);
  });

  it('reports how many keys there were, whatever the batch size', async () => {
    const hosts = (from: number, to: number) =>
      connLog(
        ...Array.from({ length: to - from }, (_, i) => conn(NOW, { to: `198.51.100.${from + i}` })),
      );
    expect((await importText(hosts(0, 100), { databaseUrl })).keys).toBe(100 * 4 + 8);
    const second = await importText(hosts(50, 200), { databaseUrl, batchRows: 30 });
    expect(second).toMatchObject({ keys: 150 * 4 + 8, keysAreExact: true });
  });

  it('keeps the bucket sizes and slots of existing groups, and adds missing meters', async () => {
    await withClient(databaseUrl, (client) =>
      applyDeclaration(client, {
        context: 'lab',
        groups: [
          {
            guid: '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}',
            name: 'My protocols',
            key_kind: 'protocol',
            bucket_size: 3600,
            topper_bucket_size: 3600,
            meters: [
              { id: 7, type: 5, name: 'Something else' },
              { id: 3, type: 4, name: 'Flows' },
            ],
          },
        ],
      }),
    );
    const start = NOW - (NOW % 3600);
    await importText(connLog(conn(start, { duration: '60' }), conn(start + 1800)), { databaseUrl });
    // Slots: 7 and 3 as declared, then 0 and 1.
    expect(await readingsOf(databaseUrl, { group: 'My protocols', start })).toEqual([
      '06+0 2 2',
      '06+0 3 2200',
      '06+0 4 0',
    ]);
  });

  it.each([
    ['of another kind', { key_kind: 'text' }, /its keys must be protocol, but they are text/],
    [
      'with a mean where flows need a counter',
      { key_kind: 'protocol', meters: [{ id: 1, type: 5, name: 'Packets' }] },
      /meter 1 of group .* must be a counter to hold flows, but it is of type 5/,
    ],
  ])('refuses a group %s under the GUID of a flow group', async (_, changes, reason) => {
    const guid = '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}';
    await withClient(databaseUrl, (client) =>
      applyDeclaration(client, { context: 'lab', groups: [{ guid, name: 'Mine', ...changes }] }),
    );
    await expect(importText(connLog(conn(NOW)), { databaseUrl })).rejects.toThrow(reason);
  });

  it('imports into a disabled group too', async () => {
    await importText(connLog(conn(NOW)), { databaseUrl });
    await rowsOf(databaseUrl, 'update counter_groups set enabled = false');
    await importText(connLog(conn(NOW - 60)), { databaseUrl });
    expect((await sums(databaseUrl))['Aggregates TOTALBW 1']).toBe('2200');
  });

  it.each<[string, string, string]>([
    [
      'before 1990',
      conn('631151999.999999'),
      'the start is before 1990: 1989-12-31T23:59:59.999Z: check the clock',
    ],
    [
      'that lasts longer than a flow may',
      conn(NOW - 40 * 86_400, { duration: `${39.6 * 86_400}` }),
      'a flow must last at most 31 days, got 40 days',
    ],
    ['that starts too late', conn(NOW + 86_401), 'the start is more than a day in the future'],
    [
      'that ends too late',
      conn(NOW, { duration: '86400.000001' }),
      'the end is more than a day in the future',
    ],
    [
      'of too many bytes',
      conn(NOW, { bytes: `${2n ** 63n - 1n}\t1` }),
      'both sides together must be at most 2^63-1',
    ],
  ])('stops at a flow %s', async (_, line, reason) => {
    const log = connLog(conn(NOW), line);
    await expect(importText(log, { databaseUrl })).rejects.toThrow(`test.log, line 3: ${reason}`);
    expect(await traces(databaseUrl)).toEqual(NOTHING);
  });

  it('accepts flows from 1990 on, and up to a day in the future', async () => {
    const log = connLog(conn(631_152_000), conn(NOW + 86_400), conn(NOW, { duration: '86400' }));
    expect((await importText(log, { databaseUrl, batchRows: 1000 })).records).toBe(3);
  });

  it('gives the same sums whatever the batch size', async () => {
    const lines = Array.from({ length: 500 }, (_, i) =>
      conn(NOW - (i % 700) * 97, {
        from: `10.0.${i % 3}.${i % 50}`,
        to: `198.51.100.${i % 40}`,
        port: i % 20,
        duration: `${i % 300}.${i % 7}`,
        bytes: `${i * 1009}\t${i * 100_003}`,
      }),
    );
    const log = connLog(...lines);
    const whole = await importText(log, { databaseUrl });
    const tiny = await importText(log, { databaseUrl, context: 'tiny', batchRows: 400 });
    // Readings in different batches are not combined.
    expect(tiny.readings).toBeGreaterThan(whole.readings);
    const expected = await sums(databaseUrl);
    expect(Object.keys(expected).length).toBeGreaterThan(1000);
    expect(await sums(databaseUrl, 'tiny')).toEqual(expected);
  });
});

describe('an empty file', () => {
  it.each(['', `${CONN_HEADER}\n`])('%j creates the context and no readings', async (content) => {
    const report = await importText(content, { databaseUrl });
    expect(report).toMatchObject({ records: 0, readings: 0, slices: 0 });
    expect(await traces(databaseUrl)).toMatchObject({ contexts: 1, imports: 0, segments: 0 });
  });
});
