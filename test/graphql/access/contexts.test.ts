import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_KINDS } from '../../../domain/keys/key-kind.ts';
import type { GroupsBody, SlicesBody } from '../../support/http/answers.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const KINDS = KEY_KINDS.filter((kind) => kind !== 'crosskey');

const [HOSTS, PORTS, PAIRS, DISABLED, METERED] = [3, 4, 21, 22, 23].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
];

const line = (guid: string, key: string, ts: number, more: Partial<Line> = {}): Line => ({
  group: guid,
  key,
  ts,
  values: { 0: 1 },
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      ...KINDS.map((key_kind, i) => group(i + 1, { key_kind, name: `Of ${key_kind}` })),
      group(21, {
        key_kind: 'crosskey',
        name: 'Pairs',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: PORTS, crosskeyguid_2: HOSTS },
      }),
      group(22, { key_kind: 'ip', name: 'Switched off', enabled: false }),
      group(23, {
        name: 'Überwachung',
        sampling_rate: 512,
        bucket_size: 20,
        topper_bucket_size: 40,
        meters: Array.from({ length: 13 }, (_, type) => ({
          ...meter(20 - type, type),
          topcount: type + 1,
          units: `u${type}`,
        })),
      }),
    ],
    declaration: {
      probes: [{ id: 'p2' }, { id: 'p1', description: 'core' }],
      pools: [
        { name: 'here', path: tmpdir(), file_system: 'xfs' },
        { name: 'tape', status: 'offline', total_size: 100, avail_size: 7, offline_archive: true },
      ],
    },
    lines: [
      line(HOSTS, '0A.00.00.01', T0 + 60),
      line(HOSTS, '0A.00.00.01', T0 + DAY, { probe: 'p1' }),
      line(PORTS, '00.50', T0 + 2 * DAY + 60),
    ],
  });
  await lab.importSamples([line(HOSTS, '0A.00.00.01', T0)], { engine: 1 });
  lab.clock.seconds = T0 + 2 * DAY;
});

afterAll(() => lab.close());

const inLab = async <T>(selection: string): Promise<T> =>
  (await lab.data<{ context: T }>(`{ context(name: "lab") { ${selection} } }`)).context;

describe('a context', () => {
  it('has its name, its node, its probes and its total window', async () => {
    expect(await inLab('name nodeName haSlaveMode probes totalWindow { from to seconds }')).toEqual(
      {
        name: 'lab',
        nodeName: 'primary',
        haSlaveMode: false,
        probes: ['p1', 'p2'],
        totalWindow: { from: T0, to: T0 + 2 * DAY + 120, seconds: 2 * DAY + 120 },
      },
    );
  });
});

const SLICE = `sliceId name engine status timeInterval { from to seconds } diskSize path available
  tags`;

type Slice = { sliceId: number; name: string; engine: number; diskSize: number; path: string };

describe('slices', () => {
  it('have the values of the REST endpoint', async () => {
    for (const allEngines of [false, true]) {
      const { slices } = await inLab<{ slices: Slice[] }>(
        `slices(allEngines: ${allEngines}) { ${SLICE} }`,
      );
      const rest = await lab.ok<SlicesBody>('slices', {
        get_all_engines: allEngines,
        get_disk_usage: true,
      });
      expect(slices).toEqual(
        rest.slices.map(({ id: sliceId, disk_size: diskSize, time_interval, ...same }) => ({
          ...same,
          sliceId,
          diskSize,
          engine: same.name.endsWith('-1') ? 1 : 0,
          timeInterval: { ...time_interval, seconds: DAY },
        })),
      );
    }
  });

  it('are by default those of engine instance 0', async () => {
    expect(await inLab('slices { name status }')).toEqual({
      slices: [
        { name: 'slice-20240715-0000', status: 'available' },
        { name: 'slice-20240716-0000', status: 'available' },
        { name: 'slice-20240717-0000', status: 'processing' },
      ],
    });
  });

  it.each([
    ['a part of one', T0 + 100, T0 + 200, ['15']],
    ['up to the start of the next', T0, T0 + DAY, ['15']],
    ['up to a second after the start of the next', T0, T0 + DAY + 1, ['15', '16']],
    ['the last second of one', T0 + DAY - 1, T0 + DAY, ['15']],
    ['the first second of the next', T0 + DAY, T0 + DAY + 1, ['16']],
    ['all', 0, 253_402_300_799, ['15', '16', '17']],
    ['none', 0, T0, []],
  ])('within an interval are those that overlap it: %s', async (_, from, to, days) => {
    const { slices } = await inLab<{ slices: Slice[] }>(
      `slices(within: { from: ${from}, to: ${to} }) { name }`,
    );
    expect(slices.map(({ name }) => name)).toEqual(days.map((day) => `slice-202407${day}-0000`));
  });
});

describe('pools', () => {
  it('have every declared field, and measured sizes where the path can be read', async () => {
    const { blocks, bsize } = await statfs(tmpdir());
    const { pools } = await inLab<{ pools: Record<string, unknown>[] }>(
      `pools { name status totalSize availSize fileSystem mounted offlineArchive
        offlineArchiveMounted additionalInfo }`,
    );
    expect(pools.toSorted((a, b) => String(a['name']).localeCompare(String(b['name'])))).toEqual([
      {
        name: 'here',
        status: 'online',
        totalSize: blocks * bsize,
        fileSystem: 'xfs',
        availSize: expect.any(Number),
        mounted: tmpdir(),
        additionalInfo: null,
        offlineArchive: false,
        offlineArchiveMounted: false,
      },
      {
        name: 'tape',
        status: 'offline',
        totalSize: 100,
        availSize: 7,
        fileSystem: null,
        mounted: null,
        offlineArchive: true,
        offlineArchiveMounted: false,
        additionalInfo: null,
      },
    ]);
  });

  it('default to the file system of the data folder where none is declared', async () => {
    await lab.sql('delete from pools');
    expect(await inLab('pools { name status totalSize }')).toEqual({
      pools: [{ name: 'default', status: 'online', totalSize: expect.any(Number) }],
    });
  });
});

describe('counter groups', () => {
  const guids = async (args: string) =>
    (
      await inLab<{ counterGroups: { guid: string }[] }>(`counterGroups${args} { guid }`)
    ).counterGroups.map(({ guid }) => guid);

  it('are the enabled ones', async () => {
    const all = await guids('');
    expect(all.toSorted()).toEqual([...KINDS.map((_, i) => guidOf(i + 1)), PAIRS, METERED].sort());
    const { group_details } = await lab.ok<GroupsBody>('groups');
    expect(all.toSorted()).toEqual(group_details.map(({ guid }) => guid).sort());
  });

  it('can be chosen by GUID, whose case and braces do not matter', async () => {
    const bare = HOSTS.slice(1, -1).toLowerCase();
    expect(await guids(`(guids: ["${bare}", "${guidOf(99)}", "${DISABLED}"])`)).toEqual([HOSTS]);
  });

  it('can be searched without regard to case, beyond ASCII too', async () => {
    expect(await guids('(search: "OF IP")')).toHaveLength(3);
    expect(await guids('(search: "überWACHUNG")')).toEqual([METERED]);
    expect(await guids('(search: "ÜBER")')).toEqual([METERED]);
    expect(await guids('(search: "switched")')).toEqual([]);
    expect(await guids('(search: "%")')).toEqual([]);
  });

  it('have their kind of key', async () => {
    for (const [i, kind] of KINDS.entries()) {
      const selection = `counterGroup(guid: "${guidOf(i + 1)}") { keyKind name }`;
      expect(await inLab(selection)).toEqual({
        counterGroup: { keyKind: kind.toUpperCase(), name: `Of ${kind}` },
      });
    }
    expect(await inLab(`counterGroup(guid: "${PAIRS}") { keyKind }`)).toEqual({
      counterGroup: { keyKind: 'CROSSKEY' },
    });
  });

  it('that do not exist or are switched off are null', async () => {
    const selection = `none: counterGroup(guid: "${guidOf(99)}") { name }
      off: counterGroup(guid: "${DISABLED}") { name }`;
    expect(await inLab(selection)).toEqual({ none: null, off: null });
  });

  it('with an invalid GUID are bad input', async () => {
    const query =
      'query ($guid: Guid!) { context(name: "lab") { counterGroup(guid: $guid) { id } } }';
    for (const guid of ['nonsense', '', 17, null, {}]) {
      const { errors } = await lab.graphql(query, { guid });
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
  });

  it('have their bucket sizes and their meters', async () => {
    const TYPES = [
      'VT_INVALID',
      'VT_RATE_COUNTER_WITH_SLIDING_WINDOW',
      'VT_COUNTER',
      'VT_COUNTER_WITH_SLIDING_WINDOW',
      'VT_RATE_COUNTER',
      'VT_GAUGE',
      'VT_GAUGE_MIN_MAX_AVG',
      'VT_AUTO',
      'VT_RUNNING_COUNTER',
      'VT_AVERAGE',
      'VT_DELTA_RATE_COUNTER',
      'VT_MAX',
      'VT_MIN',
    ];
    const selection = `counterGroup(guid: "${METERED}") { guid bucketSize topperBucketSize
      samplingRate timeInterval { from } meters { index type topCount name description units
        counterGroup { guid } } meter(index: 9) { name type } none: meter(index: 21) { name }
      odd: meter(index: -1) { name } }`;
    expect(await inLab(selection)).toEqual({
      counterGroup: {
        guid: METERED,
        bucketSize: 20,
        topperBucketSize: 40,
        samplingRate: 512,
        timeInterval: null,
        none: null,
        odd: null,
        meter: { name: 'Meter 9', type: 'VT_MAX' },
        meters: TYPES.map((type, i) => ({
          index: 20 - i,
          type,
          topCount: i + 1,
          name: `Meter ${20 - i}`,
          units: `u${i}`,
          description: `Meter ${20 - i}, type ${i}`,
          counterGroup: { guid: METERED },
        })).toReversed(),
      },
    });
  });

  it('have the interval of their data, of all probes and of one', async () => {
    const selection = `counterGroup(guid: "${HOSTS}") { all: timeInterval { from to seconds }
      one: timeInterval(probe: "p1") { from to seconds } idle: timeInterval(probe: "p2") { to } }`;
    expect(await inLab(selection)).toEqual({
      counterGroup: {
        all: { from: T0, to: T0 + DAY + 60, seconds: DAY + 60 },
        one: { from: T0 + DAY, to: T0 + DAY + 60, seconds: 60 },
        idle: null,
      },
    });
  });

  it('have their parts and their drill-downs, in any position', async () => {
    const selection = `pairs: counterGroup(guid: "${PAIRS}") { drilldowns { guid } crosskey {
        parent { guid } first { guid } second { guid } parentGuid crosskeyGuid1 crosskeyGuid2 } }
      hosts: counterGroup(guid: "${HOSTS}") { crosskey { parentGuid } drilldowns { guid } }
      ports: counterGroup(guid: "${PORTS}") { drilldowns { guid } }
      others: counterGroup(guid: "${METERED}") { drilldowns { guid } }`;
    expect(await inLab(selection)).toEqual({
      pairs: {
        drilldowns: [],
        crosskey: {
          parent: { guid: HOSTS },
          first: { guid: PORTS },
          second: { guid: HOSTS },
          parentGuid: HOSTS,
          crosskeyGuid1: PORTS,
          crosskeyGuid2: HOSTS,
        },
      },
      hosts: { crosskey: null, drilldowns: [{ guid: PAIRS }] },
      ports: { drilldowns: [{ guid: PAIRS }] },
      others: { drilldowns: [] },
    });
  });
});
