import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyDeclaration } from '../../../ingest/declaration/apply.ts';
import { IngestError } from '../../../ingest/ingest-error.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { onConnection, rowsOf } from '../../support/database/rows-of.ts';
import { importText, samples } from '../import-support.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const APPS = '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}';
const CROSS = '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A01}';

/** The example in operations, "apply files", plus a cross-key group. */
const LAB = {
  context: 'lab',
  slice_seconds: 86400,
  retention_days: 96,
  nodes: [{ name: 'dr0', role: 'dr', url_env: 'DR_DATABASE_URL' }],
  pools: [{ name: 'oper', path: '/data/oper' }],
  probes: [{ id: 'p1', description: 'core switch' }],
  groups: [
    {
      guid: CROSS,
      name: 'Hosts × Apps',
      key_kind: 'crosskey',
      crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
    },
    {
      guid: HOSTS,
      name: 'Hosts',
      key_kind: 'text',
      bucket_size: 60,
      topper_bucket_size: 300,
      sampling_rate: 1,
      enabled: true,
      meters: [
        {
          id: 0,
          type: 2,
          topcount: 100,
          name: 'Total',
          description: 'Total bytes',
          units: 'bytes',
        },
        { id: 7, type: 5, name: 'Load' },
      ],
    },
    { guid: APPS, name: 'Apps', key_kind: 'port' },
  ],
};

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const apply = (declaration: unknown) =>
  onConnection(database.url, (client) => applyDeclaration(client, declaration));

const rows = <T extends pg.QueryResultRow>(text: string) => rowsOf<T>(database.url, text);

const importSome = () =>
  importText(samples({ values: { 0: 1 } }), { databaseUrl: database.url, format: 'samples' });

describe('an applied declaration', () => {
  it('creates everything it names, with defaults for what it leaves out', async () => {
    const report = await apply(LAB);
    expect(report.counts).toEqual({ created: 9, changed: 0, unchanged: 0 });
    expect(await rows('select name, slice_seconds, retention_days from contexts')).toEqual([
      { name: 'lab', slice_seconds: 86400, retention_days: 96 },
    ]);
    expect(await rows('select name, role, url, url_env from nodes')).toEqual([
      { name: 'dr0', role: 'dr', url: null, url_env: 'DR_DATABASE_URL' },
    ]);
    expect(
      await rows(`select g.name, key_kind, bucket_size, topper_bucket_size, sampling_rate, enabled,
        upper(crosskey_guid_1::text) as first, crosskey_guid_2 as second
        from counter_groups g left join crosskeys using (group_id) order by group_id`),
    ).toMatchObject([
      { name: 'Hosts × Apps', key_kind: 'crosskey', first: APPS.slice(1, -1), second: null },
      { name: 'Hosts', bucket_size: 60, topper_bucket_size: 300, sampling_rate: 1, enabled: true },
      { name: 'Apps', key_kind: 'port', first: null },
    ]);
    expect(
      await rows('select meter_id, slot, type, topcount, name, description, units from meters'),
    ).toEqual([
      {
        meter_id: 0,
        slot: 1,
        type: 2,
        topcount: 100,
        name: 'Total',
        description: 'Total bytes',
        units: 'bytes',
      },
      { meter_id: 7, slot: 2, type: 5, topcount: 100, name: 'Load', description: '', units: '' },
    ]);
  });

  it('changes nothing the second time', async () => {
    await apply(LAB);
    const report = await apply(LAB);
    expect(report.counts).toEqual({ created: 0, changed: 0, unchanged: 9 });
    expect(report.items[0]).toEqual({ what: 'context', name: 'lab', outcome: 'unchanged' });
  });

  it('changes only what differs, and removes nothing', async () => {
    await apply(LAB);
    const report = await apply({
      context: 'lab',
      retention_days: null,
      nodes: [{ name: 'dr0', role: 'replica', url: 'postgres://u:p@h/d' }],
      pools: [{ name: 'oper', status: 'offline', total_size: 2 ** 52 }, { name: 'ref' }],
      groups: [
        {
          guid: HOSTS.toLowerCase(),
          enabled: false,
          meters: [
            { id: 7, units: 'jobs' },
            { id: 3, type: 1, name: 'Rate' },
          ],
        },
      ],
    });
    expect(report.counts).toEqual({ created: 2, changed: 5, unchanged: 0 });
    expect(await rows('select name, status, path, total_size from pools order by name')).toEqual([
      { name: 'oper', status: 'offline', path: '/data/oper', total_size: `${2 ** 52}` },
      { name: 'ref', status: 'online', path: null, total_size: null },
    ]);
    expect(await rows('select role, url, url_env from nodes')).toEqual([
      { role: 'replica', url: 'postgres://u:p@h/d', url_env: null },
    ]);
    expect(
      await rows(`select enabled, count(*)::int from counter_groups group by 1 order by 1`),
    ).toEqual([
      { enabled: false, count: 1 },
      { enabled: true, count: 2 },
    ]);
    expect(await rows('select meter_id, slot, units, name from meters order by slot')).toEqual([
      { meter_id: 0, slot: 1, units: 'bytes', name: 'Total' },
      { meter_id: 7, slot: 2, units: 'jobs', name: 'Load' },
      { meter_id: 3, slot: 3, units: '', name: 'Rate' },
    ]);
    expect(await rows('select retention_days from contexts')).toEqual([{ retention_days: null }]);
  });

  it('keeps every field of a pool and of a probe, and lets null clear them', async () => {
    const pool = {
      name: 'ref',
      status: 'offline',
      total_size: 10,
      avail_size: 5,
      file_system: 'xfs',
      path: '/data/ref',
      offline_archive: true,
      offline_archive_mounted: true,
      additional_info: 'on tape',
    };
    await apply({ context: 'lab', pools: [pool], probes: [{ id: 'p1', description: 'x' }] });
    expect(await rows('select * from pools')).toMatchObject([
      { ...pool, total_size: '10', avail_size: '5' },
    ]);
    await apply({
      context: 'lab',
      pools: [{ name: 'ref', total_size: null, path: null }],
      probes: [{ id: 'p1', description: null }],
    });
    expect(await rows('select total_size, path, file_system from pools')).toEqual([
      { total_size: null, path: null, file_system: 'xfs' },
    ]);
    expect(await rows('select description from probes')).toEqual([{ description: null }]);
  });

  it('shares a replica until told otherwise, or until the replica has another role', async () => {
    const r1 = { name: 'r1', role: 'replica', url_env: 'R1_URL' };
    const shares = async () =>
      (await rows<{ share: boolean }>(`select share from nodes where name = 'r1'`))[0]?.share;
    for (const [said, is] of [
      [r1, false],
      [{ ...r1, share: true }, true],
      [r1, true],
      [{ ...r1, share: false }, false],
      [{ ...r1, share: true }, true],
      [{ ...r1, role: 'dr' }, false],
      [r1, false],
    ] as const) {
      const others = said.role === 'dr' ? [{ ...LAB.nodes[0], role: 'replica' }] : [];
      await apply({ context: 'lab', nodes: [...others, said] });
      expect(await shares()).toBe(is);
    }
  });

  it('can make another node the recovery node', async () => {
    await apply(LAB);
    const dr1 = { name: 'dr1', role: 'dr', url_env: 'DR1' };
    await expect(apply({ context: 'lab', nodes: [dr1] })).rejects.toThrow(
      'only one node of a context can have the role dr, got dr0 and dr1',
    );
    await apply({ context: 'lab', nodes: [dr1, { ...LAB.nodes[0], role: 'replica' }] });
    expect(await rows('select name, role from nodes order by name')).toEqual([
      { name: 'dr0', role: 'replica' },
      { name: 'dr1', role: 'dr' },
    ]);
  });

  it('is applied as a whole or not at all', async () => {
    const broken = {
      ...LAB,
      groups: [...LAB.groups, { guid: APPS.replace('C5', 'C6'), name: 'x' }],
    };
    await expect(apply(broken)).rejects.toThrow('is new and must have a name and a key_kind');
    expect(await rows('select from contexts')).toEqual([]);
  });

  it('can redefine everything as long as there is no data', async () => {
    await apply(LAB);
    await apply({
      context: 'lab',
      slice_seconds: 3600,
      groups: [
        {
          guid: HOSTS,
          key_kind: 'country',
          bucket_size: 30,
          topper_bucket_size: 600,
          meters: [{ id: 0, type: 11 }],
        },
      ],
    });
    expect(
      await rows(`select key_kind, bucket_size, topper_bucket_size from counter_groups
        where name = 'Hosts'`),
    ).toEqual([{ key_kind: 'country', bucket_size: 30, topper_bucket_size: 600 }]);
  });
});

describe('what existing data depend on', () => {
  it.each<[object, string]>([
    [{ slice_seconds: 3600 }, 'slice_seconds cannot change once there is data: it is 86400'],
    [{ groups: [{ guid: HOSTS, bucket_size: 30 }] }, `bucket_size of group ${HOSTS} cannot change`],
    [
      { groups: [{ guid: HOSTS, topper_bucket_size: 600 }] },
      `topper_bucket_size of group ${HOSTS} cannot change once there is data: it is 300, got 600`,
    ],
    [{ groups: [{ guid: HOSTS, key_kind: 'ip' }] }, `key_kind of group ${HOSTS} cannot change`],
    [
      { groups: [{ guid: HOSTS, meters: [{ id: 0, type: 5 }] }] },
      `type of meter 0 of group ${HOSTS} cannot change once there is data: it is 2, got 5`,
    ],
  ])('cannot be changed by %j', async (change, reason) => {
    await apply(LAB);
    await importSome();
    const applying = apply({ context: 'lab', ...change });
    await expect(applying).rejects.toThrow(reason);
    await expect(applying).rejects.toBeInstanceOf(IngestError);
  });

  it('cannot change in the parts of a cross-key group with data either', async () => {
    await apply(LAB);
    const meters = [{ id: 0, type: 2, name: 'Bytes' }];
    await apply({ context: 'lab', groups: [{ guid: CROSS, meters }] });
    const line = { group: CROSS, key: 'a\\00.50', values: { 0: 1 } };
    await importText(samples(line), { databaseUrl: database.url, format: 'samples' });
    await expect(
      apply({ context: 'lab', groups: [{ guid: APPS, key_kind: 'asn' }] }),
    ).rejects.toThrow(`key_kind of group ${APPS} cannot change`);
    const crosskey = { parentguid: HOSTS, crosskeyguid_1: HOSTS };
    await expect(apply({ context: 'lab', groups: [{ guid: CROSS, crosskey }] })).rejects.toThrow(
      `crosskey of group ${CROSS} cannot change`,
    );
  });

  it('can be declared unchanged, and everything else can change', async () => {
    await apply(LAB);
    await importSome();
    const report = await apply({
      ...LAB,
      retention_days: 7,
      groups: [
        {
          ...LAB.groups[1],
          name: 'Renamed',
          sampling_rate: 10,
          enabled: false,
          meters: [{ id: 0, topcount: 5 }],
        },
      ],
    });
    expect(report.counts).toEqual({ created: 0, changed: 3, unchanged: 3 });
  });
});

describe('a declaration that breaks a rule', () => {
  const group = (changes: object) => ({
    context: 'lab',
    groups: [{ guid: HOSTS, name: 'Hosts', key_kind: 'ip', ...changes }],
  });

  it.each<[object, string]>([
    [group({ bucket_size: 7000 }), 'bucket_size must divide slice_seconds 86400, got 7000'],
    [
      { ...group({ bucket_size: 7200, topper_bucket_size: 7200 }), slice_seconds: 3600 },
      'bucket_size must divide slice_seconds 3600, got 7200',
    ],
    [
      group({ topper_bucket_size: 90 }),
      'topper_bucket_size must divide 86400 and be a multiple of bucket_size 60, got 90',
    ],
    [group({ topper_bucket_size: 420 }), 'topper_bucket_size must divide 86400'],
    [group({ bucket_size: 3600 }), 'be a multiple of bucket_size 3600, got 300'],
    [
      group({ key_kind: 'crosskey' }),
      'crosskey must be given for key_kind crosskey and for no other',
    ],
    [
      group({ crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS } }),
      'crosskey must be given for key_kind crosskey and for no other, the key_kind is ip',
    ],
    [
      group({ key_kind: 'crosskey', crosskey: { parentguid: APPS, crosskeyguid_1: APPS } }),
      `crosskey must name groups of the context that are not cross-key groups, got ${APPS}`,
    ],
    [
      group({ key_kind: 'crosskey', crosskey: { parentguid: HOSTS, crosskeyguid_1: HOSTS } }),
      `crosskey must name groups of the context that are not cross-key groups, got ${HOSTS}`,
    ],
    [group({ meters: [{ id: 1, name: 'x' }] }), 'is new and must have a type and a name'],
  ])('%j is refused: %s', async (declaration, reason) => {
    await expect(apply(declaration)).rejects.toThrow(reason);
    expect(await rows('select from contexts')).toEqual([]);
  });
});
