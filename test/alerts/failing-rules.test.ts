import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { T0 } from '../support/lab/lab.ts';
import { type AlertLab, GRID, reading, startAlertLab } from './alert-lab.ts';

let lab: AlertLab;

beforeAll(async () => {
  lab = await startAlertLab();
});
afterAll(() => lab.close());

/** The PostgreSQL process of the connection on which the server decides rules. */
const decidingPid = async () =>
  (
    await lab.sql<{ pid: number }>(`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'countergraph alerts'`)
  ).map(({ pid }) => pid);

const starts = async (alert: string) =>
  (await lab.events(alert)).map(({ startedAt }) => (startedAt - T0) / GRID);

const linesWith = (text: string) =>
  lab
    .logText()
    .split('\n')
    .filter((line) => line.includes(text)).length;

it('a rule that fails does not hold up others, and catches up later', async () => {
  const inWindow = (n: number) => reading('a', n * GRID - 60, n % 2 === 0 ? 9 : 1);
  await lab.importSamples([inWindow(1)]);
  await lab.declare({ bad: { when: { key_above: 5 } }, good: { when: { key_above: 5 } } });
  await lab.decideAlertsNow();
  const before = await decidingPid();
  expect(before).toHaveLength(1);
  // `apply` refuses such a filter; it stands for anything that may be wrong with a single rule.
  await lab.sql(`update alerts set filter = '{"match": "("}' where name = 'bad'`);
  await lab.importSamples([2, 3].map(inWindow));
  await lab.decideAlertsNow();
  await lab.importSamples([4, 5].map(inWindow));
  lab.clock.seconds += LIMITS.alertRetrySeconds;
  await lab.decideAlertsNow();
  expect(await starts('good')).toEqual([2, 4]);
  expect(await starts('bad')).toEqual([]);
  expect(await decidingPid()).toEqual(before);
  expect(linesWith('an alert cannot be decided')).toBe(1);
  const { value } = readMetrics((await lab.call('/metrics')).text);
  expect(value('countergraph_alert_failures_total', {})).toBe(2);
  await lab.sql("update alerts set filter = null where name = 'bad'");
  lab.clock.seconds += LIMITS.alertRetrySeconds;
  await lab.decideAlertsNow();
  expect(await starts('bad')).toEqual([2, 4]);
  expect(linesWith('an alert is decided again')).toBe(1);
});

it('a rule that failed is retried if the clock was set back meanwhile', async () => {
  await lab.sql(`update alerts set filter = '{"match": "("}' where name = 'bad'`);
  lab.clock.seconds += 3600;
  await lab.importSamples([reading('a', 6 * GRID - 60, 9)]);
  await lab.decideAlertsNow();
  lab.clock.seconds -= 3600;
  await lab.sql("update alerts set filter = null where name = 'bad'");
  await lab.importSamples([reading('a', 7 * GRID - 60, 1)]);
  await lab.decideAlertsNow();
  expect(await starts('bad')).toEqual([2, 4, 6]);
});

it('a lost connection is not blamed on a rule, and a new one continues', async () => {
  const lines = lab.logText().length;
  const [pid] = await decidingPid();
  await lab.sql('select pg_terminate_backend($1)', [pid]);
  await lab.importSamples([reading('a', 8 * GRID - 60, 9), reading('a', 9 * GRID - 60, 1)]);
  await lab.decideAlertsNow();
  await lab.decideAlertsNow();
  expect(await starts('good')).toEqual([2, 4, 6, 8]);
  expect(lab.logText().slice(lines)).not.toContain('an alert cannot be decided');
});
