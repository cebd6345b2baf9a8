import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { WorkObserver } from '../../domain/work-observer.ts';
import { MUTATIONS, type MutationName } from '../../resolvers/audited-change.ts';
import { BoundedNames } from './observed-metrics.ts';

/** An error of the table of errors, or `document`: a GraphQL document that is itself invalid. */
type CountedError = ErrorKind | 'document';

/** hot: compiled, and answered without Yoga. */
const GRAPHQL_WAYS = ['hot', 'yoga'] as const;

type GraphQLWay = (typeof GRAPHQL_WAYS)[number];

const CHANGE_OUTCOMES = ['made', 'refused'] as const;

type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number];

export type Metrics = {
  readonly registry: Registry;
  readonly contentType: string;
  text(): Promise<string>;
  requestBegins(): void;
  /** Notes that a request is over. */
  request(route: string, status: number, seconds: number): void;
  /** name: the operation's own, of any form; it is turned into a label here. */
  operation(name: string, seconds: number): void;
  /** Counts a GraphQL request by the path that it took. */
  graphql(way: GraphQLWay): void;
  error(kind: CountedError): void;
  slowRequest(): void;
  /** Counts a mutation that was committed, or refused because its user may not change that. */
  change(mutation: MutationName, outcome: ChangeOutcome): void;
  readonly onWork: WorkObserver;
};

/** In seconds: cached answers take less than the first, and the last is the default time limit. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];
const WORK_BUCKETS = [0.0005, 0.0025, 0.01, 0.05, 0.25, 1, 5, 30];

/** Creates the metrics that /metrics serves as Prometheus text (docs/reference/metrics.md). */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectNodeMetrics(registry);
  const build = new Gauge({
    name: 'countergraph_build_info',
    help: 'Always 1; the labels say what is running',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers: [registry],
  });
  build.set({ version, node: process.versions.node }, 1);
  const requests = new Histogram({
    name: 'countergraph_http_request_seconds',
    help: 'Duration of HTTP requests in seconds, by route and status; 499: the caller has gone',
    labelNames: ['route', 'status'],
    buckets: REQUEST_BUCKETS,
    registers: [registry],
  });
  const inProgress = new Gauge({
    name: 'countergraph_http_requests_in_progress',
    help: 'HTTP requests in progress',
    registers: [registry],
  });
  const operations = new Histogram({
    name: 'countergraph_graphql_operation_seconds',
    help: 'Duration of GraphQL requests in seconds, by the name of their operation',
    labelNames: ['operation'],
    buckets: REQUEST_BUCKETS,
    registers: [registry],
  });
  const ways = new Counter({
    name: 'countergraph_graphql_requests_total',
    help: 'GraphQL requests by what answered them: hot for compiled operations, yoga for all others',
    labelNames: ['way'],
    registers: [registry],
  });
  for (const way of GRAPHQL_WAYS) ways.inc({ way }, 0);
  const names = new BoundedNames(LIMITS.metricNames);
  const slow = new Counter({
    name: 'countergraph_slow_requests_total',
    help: 'Requests that took longer than COUNTERGRAPH_SLOW_MS',
    registers: [registry],
  });
  return {
    registry,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    requestBegins: () => inProgress.inc(),
    request(route, status, seconds) {
      inProgress.dec();
      requests.observe({ route, status }, seconds);
    },
    operation: (name, seconds) => operations.observe({ operation: names.labelOf(name) }, seconds),
    graphql: (way) => ways.inc({ way }),
    error: countErrors(registry),
    slowRequest: () => slow.inc(),
    change: countChanges(registry),
    onWork: timeWork(registry),
  };
}

/** Registers the metrics that every Node process has. */
export function collectNodeMetrics(registry: Registry): void {
  nodeMetrics ??= createNodeMetrics();
  for (const { name } of nodeMetrics.getMetricsAsArray()) {
    const metric = nodeMetrics.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}

/**
 * Made once per process, even if servers start and end in it: the library measures the delay of the
 * event loop 100 times a second, and cannot be told to stop.
 */
let nodeMetrics: Registry | null = null;

function createNodeMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray()) {
    // Across several processes, the slowest event loop is the one to watch, and the service is as
    // old as the oldest process. All other metrics are summed.
    if (metric.name.startsWith('nodejs_eventloop_lag_')) metric.aggregator = 'max';
    if (metric.name === 'process_start_time_seconds') metric.aggregator = 'min';
  }
  return registry;
}

function countErrors(registry: Registry): (kind: CountedError) => void {
  const errors = new Counter({
    name: 'countergraph_errors_total',
    help: 'Errors returned to callers, by kind; internal: defects of the service',
    labelNames: ['kind'],
    registers: [registry],
  });
  // A rate needs a first value, even for errors that have never occurred.
  for (const kind of [...Object.keys(ERRORS), 'document']) errors.inc({ kind }, 0);
  return (kind) => errors.inc({ kind });
}

function countChanges(registry: Registry): Metrics['change'] {
  const changes = new Counter({
    name: 'countergraph_changes_total',
    help: 'GraphQL mutations and uploads that were made, and those refused because the user may not change that',
    labelNames: ['mutation', 'outcome'],
    registers: [registry],
  });
  for (const mutation of MUTATIONS) {
    for (const outcome of CHANGE_OUTCOMES) changes.inc({ mutation, outcome }, 0);
  }
  return (mutation, outcome) => changes.inc({ mutation, outcome });
}

function timeWork(registry: Registry): WorkObserver {
  const statements = new Histogram({
    name: 'countergraph_sql_statement_seconds',
    help: 'Duration of SQL statements in seconds, by their name',
    labelNames: ['query'],
    buckets: WORK_BUCKETS,
    registers: [registry],
  });
  const tasks = new Histogram({
    name: 'countergraph_kernel_task_seconds',
    help: 'Duration of unpacking and adding up in seconds, including the wait for a thread',
    labelNames: ['task'],
    buckets: WORK_BUCKETS,
    registers: [registry],
  });
  return (kind, name) => {
    const startedAt = performance.now();
    return () => {
      const seconds = (performance.now() - startedAt) / 1000;
      if (kind === 'statement') statements.observe({ query: name }, seconds);
      else if (kind === 'kernel') tasks.observe({ task: name }, seconds);
    };
  };
}
