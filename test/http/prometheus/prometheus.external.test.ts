import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { group, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, type TestService } from '../../support/lab/service.ts';
import { type Prometheus, startPrometheus } from '../../support/programs/prometheus.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const EXAMPLES = join(projectRoot(), 'examples/prometheus');
const example = (name: string): Promise<string> => readFile(join(EXAMPLES, name), 'utf8');

describe('a real Prometheus with the files of examples/', () => {
  let lab: TestService;
  let prometheus: Prometheus;

  beforeAll(async () => {
    const meters = [{ id: 0, type: 2, topcount: 100, name: 'Total bytes', description: '' }];
    lab = await startLab({
      groups: [group(1, { guid: HOSTS, name: 'Hosts', key_kind: 'ip', meters })],
      lines: [
        { group: HOSTS, key: '0A.00.00.01', ts: T0, values: { 0: 3_000_000_000 }, label: 'big' },
        { group: HOSTS, key: '0A.00.00.02', ts: T0, values: { 0: 900_000_000 } },
        { group: HOSTS, key: '0A.00.00.03', ts: T0, values: { 0: 1_000_000_000 } },
      ],
    });
    const settings = (await example('prometheus.yml'))
      .replaceAll('127.0.0.1:4000', new URL(lab.url).host)
      .replaceAll(/_interval: 1m/g, '_interval: 200ms')
      .replace('username: prometheus', `username: ${ADA.username}`)
      .replace('/etc/prometheus/countergraph-token', 'token');
    prometheus = await startPrometheus({
      'prometheus.yml': settings,
      'rules.yml': (await example('rules.yml')).replaceAll(/for: \d+m/g, 'for: 0s'),
      token: `${ADA.token}\n`,
    });
  }, 60_000);
  afterAll(async () => {
    await prometheus?.stop();
    await lab?.close();
  });

  it('accepts the files as they are', async () => {
    const check = ['check', 'config', join(EXAMPLES, 'prometheus.yml')];
    const run = promisify(execFile);
    // The file with the token exists only on the reader's machine.
    const { stdout } = await run('/usr/bin/promtool', [...check, '--syntax-only']);
    expect(stdout).toContain('SUCCESS');
    const rules = ['check', 'rules', join(EXAMPLES, 'rules.yml')];
    expect((await run('/usr/bin/promtool', rules)).stdout).toContain('SUCCESS: 3 rules found');
  });

  it('scrapes a topper, and fires the alerts that its values call for', async () => {
    type Alert = {
      labels: Record<string, string>;
      annotations: { summary: string };
      state: string;
    };
    const alerts = await prometheus.until('/api/v1/alerts', (body) => {
      const { data } = body as { data: { alerts: Alert[] } };
      const names = new Set(data.alerts.map(({ labels }) => labels['alertname']));
      return names.has('BigTalker') && names.has('OneHostDominates') ? data.alerts : null;
    });
    expect(
      alerts.map(({ labels: { alertname, key, label, group: name, context }, state }) => ({
        alertname,
        key,
        label,
        name,
        context,
        state,
      })),
    ).toEqual(
      ['BigTalker', 'OneHostDominates'].map((alertname) => ({
        alertname,
        key: '0A.00.00.01',
        label: 'big',
        name: 'Hosts',
        context: 'lab',
        state: 'firing',
      })),
    );
    expect(alerts.map(({ annotations }) => annotations.summary)).toEqual([
      'big moved 3GB in five minutes',
      'big has 61.22% of the bytes of all hosts',
    ]);
  });

  it('has each gauge with its documented labels', async () => {
    const query = encodeURIComponent('{__name__=~"countergraph_topper.*"}');
    type Result = { metric: Record<string, string>; value: [number, string] };
    const { data } = (await prometheus.get(`/api/v1/query?query=${query}`)) as {
      data: { result: Result[] };
    };
    const values = data.result.map(({ metric, value }) => [
      `${metric['__name__']} ${metric['key'] ?? ''} ${metric['guid']} ${metric['meter']}`,
      value[1],
    ]);
    expect(Object.fromEntries(values)).toEqual({
      [`countergraph_topper 0A.00.00.01 ${HOSTS} Total bytes`]: '3000000000',
      [`countergraph_topper 0A.00.00.02 ${HOSTS} Total bytes`]: '900000000',
      [`countergraph_topper 0A.00.00.03 ${HOSTS} Total bytes`]: '1000000000',
      [`countergraph_topper_others  ${HOSTS} Total bytes`]: '0',
      [`countergraph_topper_group  ${HOSTS} Total bytes`]: '4900000000',
    });
  });
});
