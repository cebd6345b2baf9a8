import { AlertTally } from '../server/alerts/alert-tally.ts';
import { NotificationTally } from '../server/alerts/notify/notification-tally.ts';
import { RetentionTally } from '../server/background/retention-tally.ts';
import { registerBackground } from '../server/background-metrics.ts';
import { Drain } from '../server/connections/drain.ts';
import { createHttpServer } from '../server/http-server.ts';
import { MergingTally } from '../server/merging/merging-tally.ts';
import { registerProcesses } from '../server/processes/process-metrics.ts';
import { createService } from '../server/service/service.ts';
import { readSettings } from '../server/settings/settings.ts';
import { createLog } from '../server/telemetry/log.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Nobody connects to it. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing';

/** Every metric of a server, those of any Node process aside, in the order it tells them in. */
export async function metricsPart(): Promise<string> {
  const settings = readSettings({});
  const log = createLog('silent', process.stderr);
  const service = createService({ settings, databaseUrl: NO_DATABASE, log });
  try {
    // It listens to nobody: what it counts is all that is wanted of it.
    createHttpServer(service, {
      pages: { explorer: { credentials: null }, dashboard: null },
      drain: new Drain(),
    });
    const { registry } = service.metrics;
    registerBackground(registry, {
      merging: new MergingTally(),
      retention: new RetentionTally(),
      alerts: new AlertTally(),
      notifications: new NotificationTally(),
      databaseRestarts: () => 0,
    });
    registerProcesses(registry, { serving: () => 1, replaced: () => ({ died: 0, ended: 0 }) });
    const ours = registry.getMetricsAsArray().filter(({ name }) => OURS.test(name));
    return markdownTable(
      ['metric', 'type', 'labels', 'what'],
      ours.map((metric) => {
        const labels = labelsOf(metric).map(code).join(', ');
        return [code(metric.name), typeOf(metric), labels, metric.help];
      }),
    );
  } finally {
    await service.close();
  }
}

const OURS = /^countergraph_/;

/** prom-client's types say nothing of it, and every metric has it. */
const labelsOf = (metric: object): readonly string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [];

const typeOf = (metric: object): string => metric.constructor.name.toLowerCase();
