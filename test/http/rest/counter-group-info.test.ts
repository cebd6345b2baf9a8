import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GroupsBody } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [HOSTS, APPS, CROSS, CROSS3, DISABLED, EMPTY] = [1, 2, 3, 4, 5, 6].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const line = (guid: string, ts: number, probe?: string): Line => ({
  group: guid,
  key: 'C0.A8.01.0A',
  ts,
  values: { 0: 1 },
  ...(probe !== undefined && { probe }),
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, {
        name: 'Hosts',
        key_kind: 'ip',
        bucket_size: 30,
        topper_bucket_size: 600,
        meters: [
          { id: 7, type: 0, topcount: 5, name: 'Void', description: '', units: '' },
          { id: 0, type: 2, topcount: 50, name: 'Total', description: 'Bytes', units: 'bytes' },
          { id: 13, type: 4, topcount: 9, name: 'Rate', description: 'Per s', units: 'Bps' },
        ],
      }),
      group(2, { key_kind: 'port', name: 'Apps' }),
      group(3, {
        name: 'Hosts × Apps',
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS },
      }),
      group(4, {
        name: 'Three',
        key_kind: 'crosskey',
        crosskey: { parentguid: HOSTS, crosskeyguid_1: APPS, crosskeyguid_2: HOSTS },
      }),
      group(5, { enabled: false, key_kind: 'ip' }),
      group(6, { meters: [] }),
    ],
    declaration: { probes: [{ id: 'p1' }, { id: 'p2' }, { id: 'idle' }] },
    lines: [
      line(HOSTS, T0 + 45),
      line(HOSTS, T0 + 2 * DAY, 'p1'),
      line(HOSTS, T0 + DAY + 29, 'p2'),
      line(HOSTS, T0 + DAY + 600, 'p2'),
      line(DISABLED, T0),
    ],
  });
});

afterAll(() => lab.close());

const groups = async (parameters: RestParameters = {}) =>
  (await lab.ok<GroupsBody>('groups', parameters)).group_details;

const one = async (counter_group: string, parameters: RestParameters = {}) =>
  (await groups({ counter_group, ...parameters }))[0];

describe('counter group info', () => {
  it('lists all enabled groups of the context', async () => {
    const listed = await groups();
    expect(listed.map(({ guid }) => guid).sort()).toEqual([HOSTS, APPS, CROSS, CROSS3, EMPTY]);
    expect(await lab.ok('groups', {})).toEqual({ group_details: listed });
  });

  it('has the fields of the specification, and no others', async () => {
    expect(await groups({ counter_group: HOSTS })).toEqual([
      {
        guid: HOSTS,
        name: 'Hosts',
        bucket_size: 30,
        topper_bucket_size: 600,
        time_interval: { from: T0 + 30, to: T0 + 2 * DAY + 30 },
      },
    ]);
  });

  it('gives meters only when get_meter_info is true', async () => {
    const declared = [
      { id: 0, type: 2, topcount: 50, name: 'Total', description: 'Bytes', units: 'bytes' },
      { id: 7, type: 0, topcount: 5, name: 'Void', description: '', units: '' },
      { id: 13, type: 4, topcount: 9, name: 'Rate', description: 'Per s', units: 'Bps' },
    ];
    expect((await one(HOSTS, { get_meter_info: true }))?.meters).toEqual(declared);
    expect((await one(EMPTY, { get_meter_info: true }))?.meters).toEqual([]);
    expect((await groups({ get_meter_info: true })).every(({ meters }) => meters)).toBe(true);
    expect((await groups({ get_meter_info: false })).some((each) => 'meters' in each)).toBe(false);
  });

  it('gives crosskey to cross-key groups only, a third part only where there is one', async () => {
    expect((await one(CROSS))?.crosskey).toEqual({ parentguid: HOSTS, crosskeyguid_1: APPS });
    expect((await one(CROSS3))?.crosskey).toEqual({
      parentguid: HOSTS,
      crosskeyguid_1: APPS,
      crosskeyguid_2: HOSTS,
    });
    expect(await one(HOSTS)).not.toHaveProperty('crosskey');
  });

  it('gives no time_interval to a group without readings (decision 6)', async () => {
    expect(await one(APPS)).toEqual({
      guid: APPS,
      name: 'Apps',
      bucket_size: 60,
      topper_bucket_size: 300,
    });
  });

  it('narrows the time_interval to the readings of a probe', async () => {
    const interval = async (probe_id: string) => (await one(HOSTS, { probe_id }))?.time_interval;
    expect(await interval('p1')).toEqual({ from: T0 + 2 * DAY, to: T0 + 2 * DAY + 30 });
    expect(await interval('p2')).toEqual({ from: T0 + DAY, to: T0 + DAY + 630 });
    expect(await interval('idle')).toBeUndefined();
    expect(await one(HOSTS, { probe_id: 'idle' })).toEqual({
      guid: HOSTS,
      name: 'Hosts',
      bucket_size: 30,
      topper_bucket_size: 600,
    });
  });
});

describe('a disabled group', () => {
  it('is treated as one that does not exist, on both endpoints', async () => {
    for (const endpoint of ['groups', 'topper'] as const) {
      expect(await lab.refusal(endpoint, { counter_group: DISABLED })).toEqual([
        422,
        `Invalid counter group - ${DISABLED}`,
      ]);
    }
  });

  it('is back once it is enabled', async () => {
    await lab.sql('update counter_groups set enabled = true where guid = $1', [DISABLED]);
    expect(await one(DISABLED)).toMatchObject({ guid: DISABLED, time_interval: { from: T0 } });
    await lab.sql('update counter_groups set enabled = false where guid = $1', [DISABLED]);
  });
});

describe('the meter of a topper', () => {
  it('cannot be of type 0, which is only listed (decision 23)', async () => {
    const question = { counter_group: HOSTS, meter: 7 };
    expect(await lab.refusal('topper', question)).toEqual([422, 'Invalid meter - 7']);
  });

  it('must be one of its group', async () => {
    expect(await lab.refusal('topper', { counter_group: EMPTY })).toEqual([
      422,
      'Invalid meter - 0',
    ]);
    expect(await lab.topper({ counter_group: HOSTS, meter: 13 })).toMatchObject({ meter: 13 });
    await lab.apply({
      context: 'lab',
      groups: [{ guid: APPS, meters: [meter(1, 11)] }],
    });
    expect(await lab.topper({ counter_group: APPS, meter: 1 })).toMatchObject({ keys: [] });
  });
});
