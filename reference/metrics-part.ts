import { AlertTally } from '../server/alerts/alert-metrics.ts';
import { NotificationTally } from '../server/alerts/notify/notification-metrics.ts';
import { MergingTally } from '../server/background/merging-metrics.ts';
import { RetentionTally } from '../server/background/retention.ts';
import { registerBackground } from '../server/background-metrics.ts';
import { Drain } from '../server/connections/drain.ts';
import { createHttpServer } from '../server/http-server.ts';
import { registerProcesses } from '../server/processes/process-metrics.ts';
import { createService } from '../server/service/service.ts';
import { readSettings } from '../server/settings/settings.ts';
import { createLog } from '../server/telemetry/log.ts';
import { code, markdownTable } from './markdown-table.ts';

/** A placeholder: nothing connects to it. */
const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing';

/**
 * Documents every metric of a server except those of any Node process, in the order of its output.
 */
export async function metricsPart(): Promise<string> {
  const settings = readSettings({});
  const log = createLog('silent', process.stderr);
  const service = createService({ settings, databaseUrl: NO_DATABASE, log });
  try {
    // The server never listens; it is created only for the metrics that it registers.
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
      ['metric', 'type', 'labels', 'meaning'],
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

/**
 * Returns the label names, which every metric has although prom-client's types do not declare them.
 */
const labelsOf = (metric: object): readonly string[] =>
  'labelNames' in metric && Array.isArray(metric.labelNames) ? metric.labelNames : [];

const typeOf = (metric: object): string => metric.constructor.name.toLowerCase();
