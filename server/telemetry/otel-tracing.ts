import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../db/database-error.ts';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { WorkKind } from '../../domain/work-observer.ts';
import type { Logger } from './log.ts';
import { programVersion } from './program-version.ts';
import type { RequestSpan, Tracing } from './tracing.ts';

type Context = OtelPackages['api']['ROOT_CONTEXT'];

/** Traces with OpenTelemetry. Its variables set the endpoint, headers, sampler and service name. */
export function createTracing(packages: OtelPackages, log: Logger): Tracing {
  const { api, core } = packages;
  const tell = (reason: string) => log.warn({ reason }, 'traces could not be sent');
  const provider = openProvider(packages, tell);
  const tracer = provider.getTracer('countergraph', programVersion());
  const propagator = new core.W3CTraceContextPropagator();
  /** The parent contexts of the spans of a request's work. */
  const contexts = new WeakMap<RequestSpan, Context>();
  // Created only if tracing is on: on Node 20 it makes every promise of the process cost more.
  const current = new AsyncLocalStorage<RequestSpan>();
  return {
    startRequest({ method, route, requestId, headers }) {
      const parent = propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter);
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'countergraph.request_id': requestId,
      };
      const options = { kind: api.SpanKind.SERVER, attributes };
      const span = tracer.startSpan(`${method} ${route}`, options, parent);
      const request: RequestSpan = {
        traceId: span.spanContext().traceId,
        end({ status, operation }) {
          span.setAttribute('http.response.status_code', status);
          if (operation !== null) span.setAttribute('graphql.operation.name', operation);
          if (status >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
          span.end();
        },
      };
      contexts.set(request, api.trace.setSpan(parent, span));
      return request;
    },
    within: (span, work) => current.run(span, work),
    onWork(kind, name) {
      const request = current.getStore();
      const parent = request && contexts.get(request);
      if (!parent) return () => {};
      const { shown, options } = spanOf(api, kind, name);
      const span = tracer.startSpan(shown, options, parent);
      return (error) => {
        if (error !== undefined) {
          span.setAttribute('error.type', typeOf(error));
          span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      };
    },
    async close() {
      const flushed = provider.shutdown().then(
        () => null,
        (error: unknown) => String(error),
      );
      // A collector that does not answer must not keep the server from shutting down.
      const late = delay(LIMITS.traceFlushMs, 'the collector took too long', { ref: false });
      const failure = await Promise.race([flushed, late]);
      if (failure !== null) tell(failure);
      api.diag.disable();
    },
  };
}

function openProvider(
  { api, resources, sdk, OTLPTraceExporter }: OtelPackages,
  tell: (message: string) => void,
) {
  const ignore = () => {};
  // Failures within OpenTelemetry must neither reach a request nor be lost.
  api.diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const named = resources.resourceFromAttributes({
    'service.name': 'countergraph',
    'service.version': programVersion(),
  });
  const given = resources.detectResources({ detectors: [resources.envDetector] });
  return new sdk.BasicTracerProvider({
    resource: resources.defaultResource().merge(named).merge(given),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
}

/** Returns the name and options of the span of a piece of work. */
function spanOf({ SpanKind }: OtelPackages['api'], kind: WorkKind, name: string) {
  switch (kind) {
    case 'statement': {
      const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': name };
      return { shown: name, options: { kind: SpanKind.CLIENT, attributes } };
    }
    case 'kernel':
      return { shown: `kernel ${name}`, options: { kind: SpanKind.INTERNAL } };
    case 'identity':
      return { shown: name, options: { kind: SpanKind.INTERNAL } };
    default:
      return kind satisfies never;
  }
}

/** Returns one of a few types, not the message, which may contain input of the caller. */
function typeOf(error: unknown): string {
  if (error instanceof ServiceError) return error.kind;
  return errorCode(error) ?? (error instanceof Error ? error.name : 'unknown');
}

/** Protocols for sending traces; the first is OpenTelemetry's default. */
export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

export type OtelPackages = Awaited<ReturnType<typeof importOtel>>;

/** Imports some 30 MB that most users do not need: they are optional, and are loaded only here. */
export async function importOtel(protocol: Protocol) {
  const [api, core, resources, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-base'),
    protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
  ]);
  return { api, core, resources, sdk, OTLPTraceExporter };
}
