import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { lockContext } from '../../../db/connection/lock-context.ts';
import { keepRetention } from '../../../server/background/retention.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { planSlices } from '../../../store/archive/plan-slices.ts';
import type { SlicesBody } from '../../support/http/answers.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { exporter, hearExporters } from '../../support/lab/hear-exporters.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import {
  filesBelow,
  keepingOf,
  makePoolFolder,
  partitionedSlices,
  removeFolder,
} from './keep-support.ts';

const GROUP = guidOf(1);
const HOUR = 3600;

const line = (key: string, ts: number): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: 1 },
});

let lab: TestService;
let pool: string;
let keeping: ReturnType<typeof keepingOf>;

beforeAll(async () => {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { slice_seconds: HOUR, pools: [{ name: 'oper', path: pool }] },
    lines: [0, 1, 2, 3, 26].map((hour) => line(`hour ${hour}`, T0 + hour * HOUR)),
  });
  await lab.importSamples([line('of engine two', T0 + 60)], { engine: 2 });
  lab.clock.seconds = Math.floor(Date.now() / 1000);
  keeping = keepingOf(lab);
});

afterAll(async () => {
  await lab.close();
  await removeFolder(pool);
});

const names = async () =>
  (await lab.ok<SlicesBody>('slices', { get_all_engines: true })).slices.map(({ name }) => name);

const keys = async () => {
  const { keys: listed } = await lab.topper({ counter_group: GROUP, recentsecs: 90 * DAY });
  return listed.map(({ key }) => key);
};

const metric = async (name: string, labels = {}) =>
  readMetrics((await lab.call('/metrics')).text).value(name, labels);

async function loggedBy(work: () => Promise<void>): Promise<Record<string, unknown>[]> {
  const before = lab.logText().length;
  await work();
  const lines = lab.logText().slice(before).split('\n');
  return lines.filter((text) => text !== '').map((text) => JSON.parse(text));
}

describe('a running server', () => {
  it('drops nothing of a context without retention_days', async () => {
    expect(await loggedBy(() => lab.dropExpiredNow())).toEqual([]);
    expect(await names()).toHaveLength(6);
    expect(await metric('countergraph_retention_runs_total', { outcome: 'ok' })).toBe(1);
    const lastRun = await metric('countergraph_retention_last_run_timestamp_seconds');
    expect(lastRun).toBe(lab.clock.seconds);
  });

  it('drops slices older than retention_days, archived ones too, and logs each', async () => {
    await keeping.archive('slice-20240715-0100', 'slice-20240715-0300');
    expect(await keys()).toHaveLength(4);
    await lab.apply({ context: CONTEXT, retention_days: 1 });
    // The slice of three o'clock, which ends at four, is too old only a minute later.
    await lab.importSamples([line('newest', T0 + DAY + 4 * HOUR - 60)]);
    const logged = await loggedBy(() => lab.dropExpiredNow());
    expect(logged.map(({ msg, slice, archived }) => [msg, slice, archived])).toEqual(
      [
        ['slice-20240715-0000', false],
        ['slice-20240715-0000-2', false],
        ['slice-20240715-0100', true],
        ['slice-20240715-0200', false],
      ].map((each) => ['a slice was too old and dropped', ...each]),
    );
    expect(logged[0]).toMatchObject({ level: 30, context: CONTEXT, retentionDays: 1 });
    expect(await names()).toEqual([
      'slice-20240715-0300',
      'slice-20240716-0200',
      'slice-20240716-0300',
    ]);
    expect(await keys()).toEqual(['hour 26', 'newest']);
    expect(await filesBelow(pool)).toEqual([expect.stringContaining('slice-20240715-0300')]);
    expect(await partitionedSlices(lab)).toHaveLength(2);
    expect(await metric('countergraph_retention_dropped_slices_total')).toBe(4);
    expect(await keeping.verify()).toMatchObject({ differences: [] });
  });

  it('drops a slice the moment its end is old enough, even if it is archived', async () => {
    await lab.importSamples([line('newest', T0 + DAY + 4 * HOUR)]);
    await lab.dropExpiredNow();
    expect(await names()).toEqual([
      'slice-20240716-0200',
      'slice-20240716-0300',
      'slice-20240716-0400',
    ]);
    expect(await filesBelow(pool)).toEqual([]);
  });

  it('skips a context that an import keeps locked, and retries later', async () => {
    await lab.importSamples([line('newest', T0 + 9 * DAY)]);
    const retainer = keepRetention({
      auditDays: 400,
      databaseUrl: lab.databaseUrl,
      delays: null,
      log: createLog('silent', process.stderr),
      lockMs: 50,
    });
    await lab.write((connection) =>
      inTransaction(connection, async () => {
        await lockContext(connection, 1, () => {});
        await retainer.runOnce();
      }),
    );
    expect(await names()).toHaveLength(4);
    await retainer.runOnce();
    await retainer.stop();
    expect(await names()).toEqual(['slice-20240724-0000']);
  });

  it('logs failures, counts them, and retries', async () => {
    await lab.importSamples([line('again', T0)]);
    await lab.sql('alter table archive_leftovers rename to away');
    const logged = await loggedBy(() => lab.dropExpiredNow());
    expect(logged).toMatchObject([
      { level: 50, context: CONTEXT, msg: 'old slices could not be dropped' },
    ]);
    expect(await metric('countergraph_retention_runs_total', { outcome: 'failed' })).toBe(1);
    await lab.sql('alter table away rename to archive_leftovers');
    expect(await names()).toHaveLength(2);
    await lab.dropExpiredNow();
    expect(await names()).toHaveLength(1);
  });

  it('adds up what collectors that have ended knew of exporters', async () => {
    for (const flows of [1, 2]) {
      const exporters = [exporter('192.0.2.1', { flows })];
      await hearExporters(lab.databaseUrl, { context: CONTEXT, exporters });
    }
    await lab.sql('update feeds set ended_at = now()');
    await lab.dropExpiredNow();
    expect(await lab.sql('select address, flows from exporters')).toEqual([
      { address: '192.0.2.1', flows: '3' },
    ]);
  });

  it('runs by itself, at its start and then regularly', async () => {
    await lab.importSamples([line('by itself', T0)]);
    const retainer = keepRetention({
      auditDays: 400,
      databaseUrl: lab.databaseUrl,
      log: createLog('silent', process.stderr),
      delays: { firstMs: 0, everyMs: 1 },
    });
    while ((await names()).length > 1);
    await lab.importSamples([line('by itself again', T0)]);
    while ((await names()).length > 1);
    await retainer.stop();
  });
});

describe('a wrong clock', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const hourOf = (seconds: number) => seconds - (seconds % HOUR);
  const starts = async () =>
    (await lab.sql<{ start: string }>('select starts_at as start from slices order by 1')).map(
      ({ start }) => Number(start),
    );

  it.each([-400, -1, 1, 400])('of the server, by %i days, drops nothing', async (days) => {
    await lab.importSamples([line('old', T0)]);
    const before = await names();
    lab.clock.seconds = now() + days * DAY;
    const logged = await loggedBy(() => lab.dropExpiredNow());
    expect(logged).toMatchObject([
      { level: 50, msg: expect.stringMatching(/^nothing is dropped for its age, because two clo/) },
    ]);
    expect(await loggedBy(() => lab.dropExpiredNow())).toEqual([]);
    expect(await names()).toEqual(before);
    lab.clock.seconds = now();
    expect(await loggedBy(() => lab.dropExpiredNow())).toMatchObject([
      { level: 30, msg: 'the clocks agree: old slices are dropped again' },
      { level: 30, msg: 'a slice was too old and dropped' },
    ]);
    expect(await names()).toHaveLength(before.length - 1);
  });

  // Data that end long ago look to a clock that is right as recent data look to one that is ahead.
  it('of the database keeps what is not older than the newest data', async () => {
    await lab.importSamples([line('a day before', T0 + 8 * DAY), line('newest', T0 + 9 * DAY)]);
    await lab.dropExpiredNow();
    expect(await starts()).toEqual([T0 + 8 * DAY, T0 + 9 * DAY]);
  });

  it('of an exporter makes no newest data', async () => {
    const ahead = now() + 20 * HOUR;
    lab.clock.seconds = now();
    await lab.importSamples([line('ahead', ahead)]);
    await lab.dropExpiredNow();
    expect(await starts()).toEqual([T0 + 8 * DAY, T0 + 9 * DAY, hourOf(ahead)]);
  });

  it('does not make data that end long ago protect those that are too old by both', async () => {
    const recent = now() - 2 * HOUR;
    await lab.importSamples([line('recent', recent)]);
    await lab.dropExpiredNow();
    expect((await starts()).slice(0, -1)).toEqual([hourOf(recent)]);
  });
});

describe('the newest data', () => {
  it('count if they are archived', async () => {
    const [recent = ''] = (await names()).slice(-2);
    await keeping.archive(recent);
    await lab.importSamples([line('old', T0)]);
    await lab.dropExpiredNow();
    expect(await names()).toHaveLength(2);
  });
});

describe('the selection of slices that are too old', () => {
  it('never includes a slice that may still be filled', async () => {
    await lab.importSamples([line('now', T0 + 5 * DAY)]);
    const { slices, leftOut } = await keeping.kept((session) =>
      planSlices({ ...session, now: () => T0 + 5 * DAY + 60 }, 'drop', {
        before: T0 + 9 * DAY,
        names: null,
        engine: null,
        pool: null,
      }),
    );
    expect(slices).toEqual([]);
    expect(leftOut).toMatchObject([{ reason: 'is processing until 2024-07-20T01:00Z' }]);
  });
});
