import { LIMITS } from '../../domain/limits.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { FailedSignIns } from '../admission/failed-sign-ins.ts';
import { TokenUses } from '../admission/token-uses.ts';
import { exitOnceWritten } from '../exit-once-written.ts';
import type { Siblings } from '../service/service.ts';
import { startServing } from '../start-serving.ts';
import { createLog } from '../telemetry/log.ts';
import { openTracing } from '../telemetry/open-tracing.ts';
import { type Assignment, SharedKnowledge } from './messages.ts';
import { ParentLink } from './parent-link.ts';
import { valuesOf } from './process-metrics.ts';

// The program of a serving process: it answers requests, and does nothing else.

// The parent has died and relays our log no longer. There is nowhere to report that; go on.
process.stderr.on('error', () => undefined);
// A terminal sends these to all processes at once. The parent decides what this one does.
process.on('SIGINT', () => undefined);
process.on('SIGHUP', () => undefined);

process.title = 'countergraph: spare process';
const link = new ParentLink();
try {
  const assignment = await Promise.race([link.assignment, link.ending.then(() => null)]);
  if (assignment) await serve(assignment);
  await exitOnceWritten();
} catch (error) {
  const reason = reasonOf(error);
  await link.tell({ kind: 'failed', reason });
  process.exit(1);
}

/** Serves until told to end, and then finishes the requests in progress. */
async function serve(assignment: Assignment): Promise<void> {
  const { number, settings, databaseUrl, poolConnections, explorer, documents } = assignment;
  process.title = `countergraph: process ${number}`;
  const log = createLog(settings.logLevel, process.stderr, {
    process: String(number),
    pid: process.pid,
  });
  const tracing = await openTracing(process.env, log);
  const failedSignIns = new FailedSignIns();
  const tokenUses = new TokenUses();
  const { service, url, end } = await startServing({
    settings,
    databaseUrl,
    poolConnections,
    log,
    explorer,
    documents: new Map(documents),
    tracing,
    siblings: siblingsOf(assignment),
    failedSignIns,
    tokenUses,
    startsThread: true,
  });
  const { registry } = service.metrics;
  const tellMetrics = async () => {
    try {
      await link.tell({ kind: 'metrics', metrics: await valuesOf(registry) });
    } catch (err) {
      log.error({ err }, 'the metrics of this process could not be read');
    }
  };
  const tellSignIns = () => {
    const { failed } = failedSignIns.take();
    if (failed.length > 0) void link.tell({ kind: 'failedSignIns', failed });
    const uses = tokenUses.take();
    if (uses.length > 0) void link.tell({ kind: 'tokenUses', uses });
  };
  setInterval(tellSignIns, LIMITS.auditEveryMs).unref();
  link.onTellMetrics = () => void tellMetrics();
  link.onServiceEnds = () => service.state.beginToClose();
  void link.tell({ kind: 'serving', url });
  const reason = await link.ending;
  if (reason === 'orphaned') log.warn('the parent process has ended: this process ends too');
  // The other processes go on, so /readyz does not say `draining`.
  if (reason === 'signal') void link.tell({ kind: 'leaving' });
  else service.state.beginToClose();
  await end();
  await tracing?.close();
  tellSignIns();
  await tellMetrics();
}

function siblingsOf({ settings, knowledge }: Assignment): Siblings {
  const shared = new SharedKnowledge(settings, (news) => void link.tell({ kind: 'news', news }));
  shared.take(knowledge);
  link.hearNews((news) => shared.hear(news));
  return {
    metricsText: () => link.gatherMetrics(),
    missing: () =>
      link.serving < settings.processes
        ? `${link.serving} of ${settings.processes} processes serve`
        : null,
    loginFailures: shared.loginFailures,
    directory: shared.directory,
  };
}
