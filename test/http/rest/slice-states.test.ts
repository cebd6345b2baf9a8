import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { stringify } from 'lossless-json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importFile } from '../../../ingest/files/import-file.ts';
import { putBackSlice, takeOutSlice } from '../../support/database/taken-slices.ts';
import type { GroupsBody, SlicesBody } from '../../support/http/answers.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const OTHER = guidOf(2);

const line = (key: string, ts: number, guid = GROUP): Line => ({
  group: guid,
  key,
  ts,
  values: { 0: 1 },
  probe: 'p1',
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2)],
    lines: [
      ...['old', 'both'].map((key) => line(key, T0 + 60)),
      ...['both', 'new'].map((key) => line(key, T0 + DAY + 60)),
      line('only', T0 + DAY, OTHER),
    ],
  });
  lab.clock.seconds = T0 + 10 * DAY;
});

afterAll(() => lab.close());

const slices = () => lab.ok<SlicesBody>('slices', { get_total_window: true, get_disk_usage: true });

const intervals = async (probe_id = '') => {
  const { group_details } = await lab.ok<GroupsBody>('groups', { probe_id });
  return group_details.map(({ time_interval }) => time_interval);
};

const keysIn = async (parameters: object) => {
  const { keys } = await lab.topper({ counter_group: GROUP, ...parameters });
  return keys.map(({ key, metric }) => [key, metric]);
};

const ALL = { window_fromts: T0, window_tots: T0 + 3 * DAY };

describe('a slice that an import holds', () => {
  it('is processing until the import is over, and its readers are not blocked', async () => {
    const events = new EventEmitter();
    const held = once(events, 'held');
    const released = once(events, 'released');
    const importing = importFile({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      format: 'samples',
      batchRows: 1,
      source: {
        name: 'slow',
        sizeBytes: null,
        isRepeatable: false,
        open: () =>
          Readable.from(
            (async function* () {
              // Once the second line is taken, the first has been written: the import waits for it.
              for (const value of [1, 0]) {
                const late = { ...line('late', T0 + 120), values: { 0: value } };
                yield Buffer.from(`${stringify(late)}\n`);
              }
              await released;
            })(),
          ),
      },
      now: () => T0 + 10 * DAY,
      onProgress: ({ lines }) => lines === 2 && events.emit('held'),
    });
    await Promise.race([held, importing]);
    const during = await slices();
    expect(during.slices.map(({ status, available }) => [status, available])).toEqual([
      ['processing', true],
      ['available', true],
    ]);
    expect(await keysIn({ window_fromts: T0, window_seconds: DAY })).toEqual([
      ['both', 1],
      ['old', 1],
    ]);
    events.emit('released');
    await importing;
    const after = await slices();
    expect(after.slices.map(({ status }) => status)).toEqual(['available', 'available']);
    expect(await keysIn({ window_fromts: T0, window_seconds: DAY })).toHaveLength(3);
  });
});

describe('an archived slice (decision 17)', () => {
  let archivedId: number;

  beforeAll(async () => {
    archivedId = (await slices()).slices[1]?.id ?? 0;
    await takeOutSlice(lab, archivedId);
  });

  it('is still listed, but not available', async () => {
    const { slices: listed } = await slices();
    expect(listed).toHaveLength(2);
    expect(listed[0]).toMatchObject({ status: 'available', available: true, tags: ['primary'] });
    expect(listed[1]).toMatchObject({
      time_interval: { from: T0 + DAY, to: T0 + 2 * DAY },
      name: 'slice-20240716-0000',
      id: archivedId,
      path: '/archive/1.segments',
      status: 'archived',
      available: false,
      tags: ['archive'],
    });
  });

  it('is archived even before its end', async () => {
    lab.clock.seconds = T0 + DAY + 1;
    const { slices: listed } = await slices();
    expect(listed.map(({ status }) => status)).toEqual(['available', 'archived']);
    lab.clock.seconds = T0 + 10 * DAY;
  });

  it('is left out of every interval', async () => {
    expect((await slices()).total_window).toEqual({ from: T0 + 60, to: T0 + 180 });
    expect(await intervals()).toEqual([{ from: T0 + 60, to: T0 + 180 }, undefined]);
    expect(await intervals('p1')).toEqual([{ from: T0 + 60, to: T0 + 180 }, undefined]);
  });

  it('is left out of every topper', async () => {
    expect(await keysIn(ALL)).toEqual([
      ['both', 1],
      ['late', 1],
      ['old', 1],
    ]);
    expect(await keysIn({ ...ALL, counter_group: OTHER })).toEqual([]);
    expect(await keysIn({ recentsecs: 60 })).toEqual([['late', 1]]);
  });

  it('is part of everything again once it is restored', async () => {
    await putBackSlice(lab, archivedId);
    expect((await slices()).total_window).toEqual({ from: T0 + 60, to: T0 + DAY + 120 });
    expect(await keysIn({ recentsecs: 60 })).toEqual([
      ['both', 1],
      ['new', 1],
    ]);
  });
});
