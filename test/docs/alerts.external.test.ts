import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPages } from './pages.ts';

const run = promisify(execFile);

const HOUR = 60;

/** The time of the last import, every five minutes, if imports happen in these minutes. */
function lastImports(minutes: number, isImport: (minute: number) => boolean): string {
  const values: string[] = [];
  let last: number | null = null;
  for (let minute = 0; minute < minutes; minute += 1) {
    if (isImport(minute)) last = minute * 60;
    if (minute % 5 === 0) values.push(last === null ? '_' : String(last));
  }
  return values.join(' ');
}

const DAYS = 5 * 24 * HOUR;

/** A feed that ends after two days. */
const isFed = (minute: number) => minute <= 48 * HOUR && minute % 5 === 0;

const CONTEXTS: Readonly<Record<string, string>> = {
  fed: lastImports(DAYS, isFed),
  once: lastImports(DAYS, (minute) => minute === 30),
  many_at_once: lastImports(DAYS, (minute) => minute >= 30 && minute < 70),
  every_two_hours: lastImports(DAYS, (minute) => minute % (2 * HOUR) === 0),
  half_a_day: lastImports(DAYS, (minute) => minute < 12 * HOUR && minute % 5 === 0),
  hourly: lastImports(DAYS, (minute) => minute % HOUR === 0),
  still_fed: lastImports(DAYS, (minute) => minute % 5 === 0),
};

/** Two servers report the same for each context. */
const SERIES = Object.entries(CONTEXTS).flatMap(([context, values]) =>
  ['a', 'b'].map((instance) => ({
    series: `countergraph_last_import_timestamp_seconds{context="${context}",instance="${instance}"}`,
    values,
  })),
);

/** The contexts for which an alert fires in a minute. */
const fires = (minute: number, ...contexts: string[]) => ({
  eval_time: `${minute}m`,
  alertname: 'CountergraphNoImports',
  exp_alerts: contexts.map((context) => ({ exp_labels: { context } })),
});

describe('the alerts of the documentation', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countergraph-alerts-'));
    const page = readPages().find(({ path }) => path === 'docs/reference/metrics.md');
    const block = page?.blocks.find(({ heading }) => heading === '## Worth an alert');
    await writeFile(join(folder, 'rules.yml'), block?.text ?? '');
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function testRules(test: object): Promise<void> {
    // JSON is YAML.
    const text = JSON.stringify({ rule_files: ['rules.yml'], ...test });
    await writeFile(join(folder, 'test.yml'), text);
    await run('promtool', ['test', 'rules', join(folder, 'test.yml')]).catch((error) => {
      expect(String(error.stdout) + String(error.stderr)).toBe('');
    });
  }

  it('are rules of Prometheus', async () => {
    const { stdout } = await run('promtool', ['check', 'rules', join(folder, 'rules.yml')]);
    expect(stdout).toContain('SUCCESS: 14 rules found');
  });

  it('fire when no server decides alerts, and when a sink is not notified', async () => {
    const series = (name: string, values: string) => ({ series: `countergraph_${name}`, values });
    const firing = (minute: number, alertname: string, labels: readonly object[]) => ({
      eval_time: `${minute}m`,
      alertname,
      exp_alerts: labels.map((exp_labels) => ({ exp_labels })),
    });
    const waiting = { kind: 'webhook' };
    await testRules({
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [
            series('alerts_deciding{instance="a"}', '1x10 0x50'),
            series('alerts_deciding{instance="b"}', '0x20 1x10 0x30'),
            series('alert_deliveries_waiting{kind="webhook"}', '0x9 1x5 0 1x45'),
            series('alert_deliveries_total{kind="webhook",outcome="given_up"}', '0x60'),
          ],
          alert_rule_test: [
            // The other server takes over within the five minutes that the rule waits.
            firing(14, 'CountergraphAlertsUndecided', []),
            firing(25, 'CountergraphAlertsUndecided', []),
            firing(40, 'CountergraphAlertsUndecided', [{}]),
            firing(28, 'CountergraphAlertsUntold', []),
            firing(40, 'CountergraphAlertsUntold', [waiting]),
          ],
        },
      ],
    });
  });

  it('fire when feeds lose or refuse data more than occasionally', async () => {
    const series = (metric: string, label: string, values: string) => ({
      series: `${metric}{context="lab",format="goflow2",${label}}`,
      values,
    });
    const lost = 'countergraph_feed_lost_total';
    const at = (minute: number, alertname: string, ...labels: Record<string, string>[]) => ({
      eval_time: `${minute}m`,
      alertname,
      exp_alerts: labels.map((each) => ({
        exp_labels: { context: 'lab', format: 'goflow2', ...each },
      })),
    });
    const test = {
      rule_files: ['rules.yml'],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [
            series(lost, 'unit="flows"', '0+10x240'),
            series(lost, 'unit="packets"', '0+5x240'),
            series(lost, 'unit="datagrams"', '0+1000x240'),
            series('countergraph_feed_refused_total', 'why="line"', '0x60 500x180'),
          ],
          alert_rule_test: [
            at(10, 'CountergraphFeedLoses'),
            at(50, 'CountergraphFeedLoses', { unit: 'flows' }),
            at(50, 'CountergraphFeedRefuses'),
            at(65, 'CountergraphFeedRefuses', { why: 'line' }),
            at(90, 'CountergraphFeedRefuses'),
          ],
        },
      ],
    };
    await writeFile(join(folder, 'feeds.yml'), JSON.stringify(test));
    await run('promtool', ['test', 'rules', join(folder, 'feeds.yml')]).catch((error) => {
      expect(String(error.stdout) + String(error.stderr)).toBe('');
    });
  });

  it('fire when an exporter loses data, is silent, or is doubtful', async () => {
    const labels = { context: 'lab', exporter: '192.0.2.1' };
    const series = (metric: string, more: string, values: string) => ({
      series: `countergraph_exporter_${metric}{context="lab",exporter="192.0.2.1"${more}}`,
      values,
    });
    const at = (minute: number, alertname: string, ...firing: Record<string, string>[]) => ({
      eval_time: `${minute}m`,
      alertname,
      exp_alerts: firing.map((more) => ({ exp_labels: { ...labels, ...more } })),
    });
    await testRules({
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: [
            series('lost_total', ',unit="packets"', '0+10x240'),
            series('lost_total', ',unit="datagrams"', '0+5x240'),
            series('last_seen_timestamp_seconds', '', '0+60x60 3600x2000'),
            series('doubts', '', '0x60 1x10 0 1x40 0x200'),
          ],
          alert_rule_test: [
            at(10, 'CountergraphExporterLoses'),
            at(50, 'CountergraphExporterLoses', { unit: 'packets' }),
            at(60, 'CountergraphExporterSilent'),
            at(75, 'CountergraphExporterSilent'),
            at(76, 'CountergraphExporterSilent', {}),
            at(25 * HOUR, 'CountergraphExporterSilent'),
            at(71, 'CountergraphExporterDoubtful'),
            at(90, 'CountergraphExporterDoubtful', {}),
          ],
        },
      ],
    });
  });

  it('fire when a feed has ended, but not for contexts that are imported once', async () => {
    await testRules({
      evaluation_interval: '30m',
      tests: [
        {
          interval: '5m',
          input_series: SERIES,
          alert_rule_test: [
            fires(2 * HOUR),
            fires(13 * HOUR + 30),
            fires(47 * HOUR),
            fires(49 * HOUR),
            fires(49 * HOUR + 30, 'fed'),
            fires(65 * HOUR, 'fed'),
            fires(68 * HOUR),
            fires(119 * HOUR),
          ],
        },
      ],
    });
  });
});
