import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { T0 } from '../support/lab/lab.ts';
import { CONTEXT } from '../support/lab/service.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
import { type AlertLab, reading, startAlertLab } from './alert-lab.ts';

const DAY = 86_400;

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab({ declaration: { retention_days: 2 } });
  await newestAt(T0);
});
afterAll(() => lab.close());

beforeEach(async () => {
  vi.stubEnv('DATABASE_URL', lab.databaseUrl);
  lab.clock.seconds = Math.floor(Date.now() / 1000);
  await lab.sql('delete from alerts');
  await lab.sql('delete from alert_sinks');
  await lab.declare({ big: { when: { key_above: 1 } } });
});
afterEach(() => vi.unstubAllEnvs());

/** Makes events of the rule with these ends, one per key; null: it is firing. */
const makeEvents = (ends: Readonly<Record<string, number | null>>) =>
  lab.sql(
    `insert into alert_events
       (event_id, alert_id, context_id, key, started_at, ended_at, value, peak_value)
     select gen_random_uuid(), alert_id, context_id, e.key, $3, e.ended_at, 9, 9
     from alerts, unnest($1::text[], $2::bigint[]) as e(key, ended_at)
     where name = 'big' and superseded_at is null`,
    [Object.keys(ends), Object.values(ends), T0 - 1000 * DAY],
  );

/** Imports a reading in the newest bucket. */
const newestAt = (ts: number) => lab.importSamples([reading('any', ts - T0, 1)]);

const keys = async () => (await lab.events()).map(({ key }) => key);

const revisions = async () =>
  (await lab.sql<{ threshold: string }>('select threshold from alerts order by alert_id')).map(
    ({ threshold }) => threshold,
  );

const dropped = async () =>
  readMetrics((await lab.call('/metrics')).text).value(
    'countergraph_retention_dropped_events_total',
    {},
  ) ?? 0;

describe('events of alerts', () => {
  it('are dropped once their end is old enough; firing ones stay, however old', async () => {
    await makeEvents({ old: T0 - 2 * DAY, next: T0 - 2 * DAY + 60, firing: null });
    await lab.dropExpiredNow();
    expect(await keys()).toEqual(['firing', 'next']);
    await newestAt(T0 + 60);
    await lab.dropExpiredNow();
    expect(await keys()).toEqual(['firing']);
    expect(lab.logText()).toContain('ended events of alerts were too old and dropped');
  });

  it('stay while a delivery of them is due', async () => {
    const notify = [{ name: 'noc', kind: 'webhook', url: 'http://127.0.0.1:1/' }];
    await lab.apply({ context: CONTEXT, notify });
    await makeEvents({ waiting: T0 - 3 * DAY, told: T0 - 3 * DAY, 'given up': T0 - 3 * DAY });
    await lab.sql(`
      insert into alert_deliveries (event_id, sink_id, change, delivered_at, given_up_at)
      select event_id, sink_id, 'ended', case key when 'told' then now() end,
        case key when 'given up' then now() end
      from alert_events, alert_sinks`);
    await lab.dropExpiredNow();
    expect(await keys()).toEqual(['waiting']);
    await lab.sql('update alert_deliveries set delivered_at = now()');
    await lab.dropExpiredNow();
    expect(await keys()).toEqual([]);
  });

  it('are dropped along with superseded revisions that have no others', async () => {
    await makeEvents({ first: T0 - 3 * DAY });
    await lab.declare({ big: { when: { key_above: 2 } } });
    await makeEvents({ second: T0 - 3 * DAY, later: T0 - DAY });
    await lab.declare({ big: { when: { key_above: 3 } } });
    await makeEvents({ third: T0 - 3 * DAY });
    await lab.dropExpiredNow();
    expect(await revisions()).toEqual(['2', '3']);
    expect(await keys()).toEqual(['later']);
  });

  it('are all dropped, in several parts, and counted', async () => {
    const before = await dropped();
    const count = LIMITS.droppedEvents + 1;
    await makeEvents(
      Object.fromEntries(Array.from({ length: count }, (_, i) => [i, T0 - 9 * DAY])),
    );
    await lab.dropExpiredNow();
    expect(await keys()).toEqual([]);
    expect((await dropped()) - before).toBe(count);
  });

  it('stay in a context that keeps everything', async () => {
    await lab.apply({ context: CONTEXT, retention_days: null });
    await makeEvents({ old: T0 - 900 * DAY });
    await lab.dropExpiredNow();
    expect(await keys()).toEqual(['old']);
    await lab.apply({ context: CONTEXT, retention_days: 2 });
  });

  it('that cannot be dropped are logged, and retried in the next run', async () => {
    await makeEvents({ old: T0 - 3 * DAY });
    await lab.sql('alter table alert_deliveries rename to away');
    await lab.dropExpiredNow();
    expect(lab.logText()).toContain('old events of alerts could not be dropped');
    await lab.sql('alter table away rename to alert_deliveries');
    await lab.dropExpiredNow();
    expect(await keys()).toEqual([]);
  });
});

describe('slices drop --expired', () => {
  const drop = (...more: string[]) =>
    runOnDatabase(['slices', 'drop', '--context', CONTEXT, '--expired', ...more]);

  it('drops them too, once it is confirmed', async () => {
    await makeEvents({ one: T0 - 3 * DAY, two: T0 - 3 * DAY });
    await runOnDatabase([
      'slices',
      'drop',
      '--context',
      CONTEXT,
      '--before',
      '2025-01-01',
      '--confirm',
      CONTEXT,
    ]);
    expect((await drop('--dry-run')).out).toEqual(['Would drop 2 events of alerts']);
    expect((await drop('--dry-run', '--json')).out).toEqual(['{"wouldDropEvents":2}']);
    expect((await drop()).err).toEqual([
      'countergraph: Dropping 2 events of alerts of context lab needs a word of confirmation: ' +
        'give --confirm lab',
    ]);
    expect(await keys()).toHaveLength(2);
    expect((await drop('--confirm', CONTEXT)).out).toEqual(['2 events of alerts were dropped']);
    expect(await keys()).toEqual([]);
    expect((await drop('--confirm', CONTEXT)).out).toEqual(['There is nothing to drop.']);
  });

  it('leaves them alone if only some slices are selected', async () => {
    await makeEvents({ one: T0 - 3 * DAY });
    expect((await drop('--engine', '0', '--confirm', CONTEXT)).out).toEqual([
      'There is nothing to drop.',
    ]);
    expect(await keys()).toEqual(['one']);
    expect((await drop('--confirm', CONTEXT, '--json')).out).toEqual(['{"droppedEvents":1}']);
  });
});
