import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SettingsError } from '../../../server/settings/settings.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { openTracing } from '../../../server/telemetry/open-tracing.ts';
import type { Tracing } from '../../../server/telemetry/tracing.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

type Attribute = { readonly key: string; readonly value: Readonly<Record<string, unknown>> };

type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
};

type Export = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
};

type Received = {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

const GROUP = guidOf(1);
const log = createLog('silent', process.stderr);

/** Starts an OpenTelemetry collector that records what it receives. */
async function startCollector() {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      received.push({ path: request.url, headers: request.headers, body });
      response
        .writeHead(request.url === '/v1/traces' ? 200 : 400, { 'content-type': 'application/json' })
        .end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const exports = () => received.map(({ body }) => JSON.parse(body.toString()) as Export);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    resources: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.map(({ resource }) => valuesOf(resource.attributes)),
      ),
    spans: () =>
      exports().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

let lab: TestService;
let collector: Awaited<ReturnType<typeof startCollector>>;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'a', ts: T0, values: { 0: 5 } }],
  });
  collector = await startCollector();
});

afterAll(async () => {
  await collector.close();
  await lab.close();
});

const OTEL = /^OTEL_/;

afterEach(() => {
  for (const name of Object.keys(process.env)) if (OTEL.test(name)) delete process.env[name];
  collector.received.length = 0;
});

/** Sets variables in the environment of the process, where OpenTelemetry reads them. */
async function open(env: Readonly<Record<string, string>>): Promise<Tracing> {
  Object.assign(process.env, env);
  const tracing = await openTracing(process.env, log);
  if (!tracing) throw new Error('nothing is traced');
  return tracing;
}

/** Returns the spans that the collector received while `work` ran; none for protobuf. */
async function traced(
  env: Readonly<Record<string, string>>,
  work: (service: TestService) => Promise<unknown>,
): Promise<readonly Span[]> {
  const tracing = await open({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  const service = await startTestService({ databaseUrl: lab.databaseUrl, tracing });
  try {
    await work(service);
  } finally {
    await service.close();
    await tracing.close();
  }
  return env['OTEL_EXPORTER_OTLP_PROTOCOL'] === 'http/json' ? collector.spans() : [];
}

const JSON_PROTOCOL = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };
const TOPPER = { counter_group: GROUP, meter: 0, window_fromts: T0, window_seconds: 3600 };

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const traceparent = (flags: string) => `00-${TRACE}-${CALLER}-${flags}`;

describe('a traced request', () => {
  it('has spans for itself, the identity, each statement and each task of the kernel', async () => {
    let requestId: unknown;
    const spans = await traced(JSON_PROTOCOL, async (service) => {
      requestId = (await service.rest('topper', TOPPER)).headers['x-request-id'];
    });
    const [root, ...others] = spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(others).toEqual([]);
    expect(root?.name).toBe('GET /api/topper/topper_request');
    expect(valuesOf(root?.attributes ?? [])).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/api/topper/topper_request',
      'http.response.status_code': 200,
      'countergraph.request_id': requestId,
    });
    const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId);
    expect(below).toHaveLength(spans.length - 1);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(below.map(({ name }) => name).sort()).toEqual([
      'commit',
      'identify',
      'kernel decode',
      'kernel fold',
      'select-catalogs',
      'select-identity',
      'select-manifest',
      'select-pages',
      'select-texts',
    ]);
  });

  it('continues the trace of its caller', async () => {
    const headers = { traceparent: traceparent('01') };
    const spans = await traced(JSON_PROTOCOL, (service) => service.rest('slices', {}, { headers }));
    expect(spans.length).toBeGreaterThan(1);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    expect(spans.filter(({ parentSpanId }) => parentSpanId === CALLER)).toHaveLength(1);
  });

  it('is not sent if its caller wants no trace', async () => {
    const headers = { traceparent: traceparent('00') };
    await traced(JSON_PROTOCOL, (service) => service.rest('slices', {}, { headers }));
    expect(collector.received).toEqual([]);
  });

  it('is logged with its trace', async () => {
    const headers = { traceparent: traceparent('01') };
    let text = '';
    await traced(JSON_PROTOCOL, async (service) => {
      await service.rest('topper', TOPPER, { headers });
      text = service.logText();
    });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ traceId: TRACE });
  });

  it('names the operation and the failed statement, without revealing the request', async () => {
    await lab.sql('alter table pools rename to away');
    const spans = await traced(JSON_PROTOCOL, (service) =>
      service.graphql('query Disks { context(name: "lab") { pools { name } } }'),
    );
    await lab.sql('alter table away rename to pools');
    const root = spans.find(({ name }) => name === 'POST /graphql');
    expect(valuesOf(root?.attributes ?? [])).toMatchObject({ 'graphql.operation.name': 'Disks' });
    const failed = spans.filter(({ status }) => status.code === 2);
    expect(failed.map(({ name }) => name)).toEqual(['select-pools']);
    expect(valuesOf(failed[0]?.attributes ?? [])).toMatchObject({
      'db.system.name': 'postgresql',
      'error.type': '42P01',
    });
    // Whole words, because the hexadecimal id of a trace may contain these letters.
    expect(JSON.stringify(spans)).not.toMatch(/\b(ada|lab)\b|relation/);
  });
});

describe('traces', () => {
  it('carry the name and version of the service, or the name of OTEL_SERVICE_NAME', async () => {
    await traced(JSON_PROTOCOL, (service) => service.call('/healthz'));
    expect(collector.resources()[0]).toMatchObject({
      'service.name': 'countergraph',
      'service.version': expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    collector.received.length = 0;
    const named = { ...JSON_PROTOCOL, OTEL_SERVICE_NAME: 'noc' };
    await traced(named, (service) => service.call('/healthz'));
    expect(collector.resources()[0]).toMatchObject({ 'service.name': 'noc' });
  });

  it('are sent as protobuf unless JSON is requested, with the headers of the environment', async () => {
    const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=noc' };
    await traced(headers, (service) => service.call('/healthz'));
    expect(collector.received).toMatchObject([
      {
        path: '/v1/traces',
        headers: { 'content-type': 'application/x-protobuf', 'x-tenant': 'noc' },
      },
    ]);
    expect(collector.received[0]?.body.includes('GET /healthz')).toBe(true);
  });

  it.each([
    ['there is no collector', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
    ['the collector refuses them', {}],
  ])('fail no request if %s, and a warning is logged', async (_, env) => {
    const lines: string[] = [];
    const stream = new Writable({
      write: (chunk, _encoding, done) => done(void lines.push(String(chunk))),
    });
    const warnings = createLog('warn', stream as unknown as NodeJS.WriteStream);
    Object.assign(process.env, { OTEL_EXPORTER_OTLP_TIMEOUT: '300' });
    // The collector refuses every path but its own.
    Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/refused`, ...env });
    const tracing = await openTracing(process.env, warnings);
    if (!tracing) throw new Error('nothing is traced');
    const service = await startTestService({ databaseUrl: lab.databaseUrl, tracing });
    expect((await service.call('/healthz')).status).toBe(200);
    await service.close();
    await tracing.close();
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: 40, msg: 'traces could not be sent' }),
    );
  });
});

describe('the variables of OpenTelemetry', () => {
  const neverLoad = () => Promise.reject(new Error('something was loaded'));
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_TRACES_EXPORTER: 'none', ...endpoint },
    { OTEL_SDK_DISABLED: 'true', ...endpoint },
    { OTEL_SERVICE_NAME: 'noc' },
  ])('load nothing if they request no traces: %j', async (env) => {
    expect(await openTracing(env, log, neverLoad)).toBeNull();
  });

  it.each([
    endpoint,
    { OTEL_TRACES_EXPORTER: 'otlp' },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' },
  ])('request traces: %j', async (env) => {
    await expect(openTracing(env, log, neverLoad)).rejects.toThrow('something was loaded');
  });

  const mistakes = [
    [{ OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER must be otlp or none, got "jaeger"'],
    [
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL must be one of http/protobuf, http/json, got "grpc"',
    ],
  ] as const;

  it.each(mistakes)('are refused at start if they are not supported: %j', async (env, message) => {
    const opened = openTracing(env, log, neverLoad);
    await expect(opened).rejects.toBeInstanceOf(SettingsError);
    await expect(opened).rejects.toThrow(message);
  });

  it('lead to an error that says what to install if OpenTelemetry is missing', async () => {
    const missing = Object.assign(new Error('no package'), { code: 'ERR_MODULE_NOT_FOUND' });
    const opened = openTracing(endpoint, log, () => Promise.reject(missing));
    await expect(opened).rejects.toBeInstanceOf(SettingsError);
    await expect(opened).rejects.toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: npm install ' +
        '@opentelemetry/api @opentelemetry/core @opentelemetry/resources ' +
        '@opentelemetry/sdk-trace-base @opentelemetry/exporter-trace-otlp-proto, or unset it',
    );
  });
});
