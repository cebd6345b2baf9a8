import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import {
  type DescribedAnswers,
  describedAnswers,
  type OpenApi,
} from '../../support/http/described-answers.ts';
import type { HttpAnswer } from '../../support/http/http-call.ts';
import { RawConnection } from '../../support/http/raw-connection.ts';
import {
  ENCODINGS,
  type Encoding,
  encode,
  post,
  type RestParameters,
} from '../../support/http/rest-parameters.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  CONTEXT,
  ENDPOINT_NAMES,
  type EndpointName,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const [GROUP, CROSS] = [1, 3].map(guidOf) as [string, string];

let lab: TestService;
/** The same data, with low limits. */
let strict: TestService;
let described: DescribedAnswers;
/** The answer to half a request, which arrives after a second or two, for any endpoint. */
let slow: Promise<HttpAnswer>;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: [meter(0, 2), meter(1, 5), meter(2, 0)] }),
      group(2),
      group(3, {
        key_kind: 'crosskey',
        crosskey: { parentguid: GROUP, crosskeyguid_1: guidOf(2), crosskeyguid_2: GROUP },
      }),
    ],
    lines: [
      ...Array.from({ length: 5 }, (_, i) => ({
        group: GROUP,
        key: `k${i}`,
        ts: T0 + i * 100,
        values: { 0: 2n ** 62n, 1: -i },
        label: `=${i}`,
        description: 'what',
        attributes: { os: 'any' },
      })),
      { group: CROSS, key: 'k1\\x\\k2', ts: T0, values: { 0: 1 } },
    ],
    declaration: {
      nodes: [{ name: 'dead', role: 'replica', url: 'postgres://u:p@127.0.0.1:9/none' }],
      pools: [
        { name: 'oper', path: '/nowhere' },
        {
          name: 'full',
          path: '/full',
          total_size: 5,
          avail_size: 1,
          file_system: 'xfs',
          additional_info: 'a shelf',
          offline_archive: true,
        },
      ],
    },
  });
  await lab.apply({ context: 'other', groups: [] });
  strict = await startTestService({
    databaseUrl: lab.databaseUrl,
    settings: {
      maxConcurrent: 1,
      slowCallerSeconds: 1,
      loginFailures: 1,
      trustProxy: ['127.0.0.1'],
    },
  });
  slow = sendSlowly();
  described = describedAnswers(JSON.parse((await lab.call('/api/openapi.json')).text) as OpenApi);
});

afterAll(async () => {
  await strict.close();
  await lab.close();
});

const WINDOW = { window_fromts: T0, window_seconds: 3600 };

const MINIMAL: Record<EndpointName, RestParameters> = {
  slices: {},
  groups: {},
  topper: { ...WINDOW, counter_group: GROUP },
};

/** Parameters for answers with everything they can have. */
const FULL: Record<EndpointName, readonly RestParameters[]> = {
  slices: [{ get_disk_usage: true, get_all_engines: true, get_total_window: true, timeout: 30 }],
  groups: [{ get_meter_info: true }, { counter_group: CROSS, timeout: -1 }],
  topper: [
    {
      ...MINIMAL.topper,
      maxitems: 3,
      get_key_attributes: true,
      get_percentiles: [50, 99.9],
      flags: 1,
      time_zone: 'Europe/Berlin',
      key_filter: '^k',
      timeout: 5,
      format: 'json',
    },
    { ...MINIMAL.topper, meter: 1, resolve_keys: false, inverse_key_filter: 'k1' },
    { ...MINIMAL.topper, format: 'csv', get_percentiles: [95] },
    { ...MINIMAL.topper, format: 'csv', series: true, step: 600 },
    { counter_group: GROUP, from_date: 'Jul 15 2024 1:00 AM', to_date: 'Jul 15 2024 2:00 AM' },
  ],
};

const TYPES: Readonly<Record<Encoding, string>> = {
  query: '',
  json: 'application/json',
  multipart: 'multipart/form-data',
  form: 'application/x-www-form-urlencoded',
};

const methodOf = (encoding: Encoding): string => (encoding === 'query' ? 'GET' : 'POST');

const plain = (endpoint: EndpointName, parameters: RestParameters, encoding: Encoding) =>
  ask(lab, endpoint, parameters, encoding);

/** Unlike `service.rest`, this accepts answers that are not JSON. */
async function ask(
  service: TestService,
  endpoint: EndpointName,
  parameters: RestParameters,
  encoding: Encoding,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const who = { context: CONTEXT, username: ADA.username, api_token: ADA.token };
  const { query, call } = await encode({ ...who, ...parameters }, encoding);
  return service.call(service.path(endpoint) + query, {
    ...call,
    headers: { ...call.headers, ...headers },
  });
}

describe('an answer matches the OpenAPI document', () => {
  for (const endpoint of ENDPOINT_NAMES) {
    for (const encoding of ENCODINGS) {
      it(`${endpoint}, requested by ${encoding}`, async () => {
        for (const parameters of [MINIMAL[endpoint], ...FULL[endpoint]]) {
          const answer = await plain(endpoint, parameters, encoding);
          expect(answer.status).toBe(200);
          const path = lab.path(endpoint);
          const method = methodOf(encoding);
          expect(described.faults(path, method, answer)).toEqual([]);
          const who = { context: CONTEXT, username: ADA.username, api_token: ADA.token };
          if (encoding === 'query') continue;
          const told = described.bodyFaults(path, TYPES[encoding], { ...who, ...parameters });
          expect(told).toEqual([]);
        }
      });
    }

    it(`${endpoint}, requested with the ETag of its last answer`, async () => {
      const path = lab.path(endpoint);
      const { headers } = await plain(endpoint, MINIMAL[endpoint], 'query');
      const again = { 'if-none-match': headers.etag ?? '' };
      const answer = await ask(lab, endpoint, MINIMAL[endpoint], 'query', again);
      expect(answer.status).toBe(304);
      expect(described.faults(path, 'GET', answer)).toEqual([]);
    });
  }

  it('and a mismatch is reported', () => {
    const path = lab.path('groups');
    const headers = { 'x-request-id': 'x', etag: 'x', 'content-type': 'application/json' };
    const faults = (status: number, body: object, own: Record<string, string> = headers) =>
      described.faults(path, 'GET', { status, headers: own, text: JSON.stringify(body) });
    const detail = { guid: 'x', name: 'x', bucket_size: 60, topper_bucket_size: 300 };
    expect(faults(200, { group_details: [detail] })).toEqual([]);
    expect(faults(200, { group_details: [{ ...detail, more: 1 }] })).toHaveLength(1);
    expect(faults(200, { group_details: [{ ...detail, bucket_size: 'x' }] })).toHaveLength(1);
    expect(faults(200, {})).toHaveLength(1);
    expect(faults(200, { group_details: [] }, { 'content-type': 'text/html' })).toHaveLength(3);
    expect(faults(418, {})).toHaveLength(1);
    expect(faults(400, { status: 'ERROR' })).toHaveLength(1);
  });
});

type Provocation = (endpoint: EndpointName, encoding: Encoding) => Promise<HttpAnswer>;

const wrong =
  (parameters: RestParameters): Provocation =>
  (endpoint, encoding) =>
    plain(endpoint, { ...MINIMAL[endpoint], ...parameters }, encoding);

const posting =
  (contentType: string, body: string): Provocation =>
  (endpoint) =>
    lab.call(lab.path(endpoint), post(contentType, body));

/** How to provoke each documented status. */
const PROVOCATIONS: Readonly<Record<number, readonly Provocation[]>> = {
  400: [
    wrong({ context: '' }),
    wrong({ timeout: 0 }),
    wrong({ get_from_dr: 'maybe' }),
    (endpoint, encoding) => plain(endpoint, { timeout: 'x' }, encoding),
  ],
  401: [wrong({ api_token: 'wrong' }), wrong({ username: '' })],
  403: [wrong({ context: 'other' })],
  408: [() => slow],
  413: [posting('application/json', `"${'x'.repeat(LIMITS.restBodyBytes)}"`)],
  415: [posting('text/plain', 'context=lab')],
  422: [
    wrong({ context: 'nowhere' }),
    wrong({ probe_id: 'none' }),
    wrong({ destination_node: 'none' }),
    wrong({ get_from_dr: true }),
  ],
  429: [
    async (endpoint, encoding) => {
      const from = { 'x-forwarded-for': `192.0.2.${ENDPOINT_NAMES.indexOf(endpoint) + 1}` };
      await ask(strict, endpoint, { api_token: 'wrong' }, encoding, from);
      return ask(strict, endpoint, { api_token: 'wrong' }, encoding, from);
    },
  ],
  431: [
    (endpoint) =>
      lab.call(lab.path(endpoint), { headers: { 'x-long': 'x'.repeat(LIMITS.headerBytes) } }),
  ],
  500: [wrong({ destination_node: 'dead' })],
  503: [
    async (endpoint, encoding) => {
      const connection = await RawConnection.open(strict.url);
      const head = 'host: x\r\ncontent-length: 9\r\ncontent-type: application/json\r\n\r\n';
      connection.write(`POST ${lab.path(endpoint)} HTTP/1.1\r\n${head}`);
      const busy = 'countergraph_requests_at_work 1';
      while (!(await strict.call('/metrics')).text.includes(busy)) await delay(5);
      try {
        return await ask(strict, endpoint, MINIMAL[endpoint], encoding);
      } finally {
        connection.destroy();
        while ((await strict.call('/metrics')).text.includes(busy)) await delay(5);
      }
    },
  ],
};

async function sendSlowly(): Promise<HttpAnswer> {
  const connection = await RawConnection.open(strict.url);
  connection.write(`GET ${lab.path('topper')} HTTP/1.1\r\nhost: x\r\n`);
  await connection.closed();
  return received(connection.received);
}

/** Parses an answer from a raw connection. */
function received(bytes: string): HttpAnswer {
  const [head = '', text = ''] = bytes.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = Object.fromEntries(
    fields.map((field) => [field.split(': ')[0]?.toLowerCase(), field.split(': ')[1]]),
  );
  return { status: Number(line.split(' ')[1]), headers, text };
}

describe('an error matches the OpenAPI document', () => {
  for (const endpoint of ENDPOINT_NAMES) {
    it.each(ENCODINGS)(`${endpoint}, requested by %s: each documented status`, async (by) => {
      const path = lab.path(endpoint);
      const method = methodOf(by);
      const statuses = described.statuses(path, method).filter((status) => status >= 400);
      expect(statuses.length).toBeGreaterThan(8);
      for (const status of statuses) {
        const provocations = PROVOCATIONS[status] ?? [];
        expect([status, provocations.length > 0]).toEqual([status, true]);
        for (const provoke of provocations) {
          const answer = await provoke(endpoint, by);
          expect([status, answer.text]).toEqual([answer.status, expect.any(String)]);
          expect(described.faults(path, method, answer)).toEqual([]);
        }
      }
    });
  }

  it.each(ENCODINGS)('errors of the topper alone, requested by %s', async (by) => {
    const path = lab.path('topper');
    const rows: readonly [number, RestParameters][] = [
      [400, { counter_group: '' }],
      [400, { window_seconds: 0 }],
      [400, { format: 'xml' }],
      [400, { key_filter: '(' }],
      [422, { counter_group: 'x' }],
      [422, { meter: 99 }],
      [422, { meter: 2 }],
    ];
    for (const [status, parameters] of rows) {
      const answer = await plain('topper', { ...MINIMAL.topper, ...parameters }, by);
      expect(answer.status).toBe(status);
      expect(described.faults(path, methodOf(by), answer)).toEqual([]);
    }
  });
});
