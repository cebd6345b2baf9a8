import fc from 'fast-check';
import type { HttpCall } from '../support/http/http-call.ts';
import { guidOf, T0 } from '../support/lab/lab.ts';
import { ADA, CONTEXT, ENDPOINT_NAMES } from '../support/lab/service.ts';
import { anyText } from '../support/random/any-text.ts';

/** A mistyped token is almost a secret, so it must not be logged either. */
export const WRONG_TOKEN = 'ada-secret';

/** All names that an endpoint reads, with valid values. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  username: [ADA.username],
  api_token: [ADA.token],
  context: [CONTEXT],
  probe_id: ['p1'],
  destination_node: ['primary'],
  get_from_dr: ['false', '0'],
  timeout: ['-1', '60', '2147483'],
  get_disk_usage: ['true', 'ON'],
  get_all_engines: ['yes'],
  get_total_window: ['1'],
  counter_group: [guidOf(1), guidOf(2), guidOf(1).toLowerCase().slice(1, -1)],
  get_meter_info: ['true'],
  meter: ['0', '+1', '2'],
  maxitems: ['1', '5', '10000'],
  resolve_keys: ['no', 'TRUE'],
  get_key_attributes: ['on'],
  get_percentiles: ['50,95', '0', '99.9', '33.3333'],
  key_filter: ['^k', '.', '(a|b)+', 'é'],
  inverse_key_filter: ['1$', '^$'],
  time_zone: ['UTC', 'Europe/Berlin'],
  flags: ['0', '-7'],
  valid_input: ['true'],
  from_date: ['Jul 15 2024 12:00:00 AM', '2024-07-15', '2024-07-15T02:00+02:00'],
  to_date: ['july 15 2024 1:00 pm', '2024-07-15T13:00Z'],
  from_time: ['Jul 15 2024 12:00:00 AM'],
  to_time: ['July 15 2024 1:00:00 AM'],
  window_fromts: [String(T0), '0'],
  window_tots: [String(T0 + 3600), '253402300799'],
  window_seconds: ['60', '1'],
  recentsecs: ['60', '86400'],
  format: ['json', 'csv', 'csv'],
  series: ['true', 'false'],
  step: ['60', '300', '3600', '0', '61', '2147483640', '9007199254740960'],
};

/** Texts that have broken parsers before. */
const NASTY = [
  '\0',
  'a\0b',
  '\u{FEFF}',
  '\uFFFD',
  '\u202E',
  '\u{10FFFF}',
  'e\u0301',
  '\r\n',
  '\t',
  '\x7F',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'null',
  'NaN',
  'Infinity',
  '-Infinity',
  '-0',
  '+',
  '-',
  '.',
  ',',
  ',,,',
  '0x10',
  '1e3',
  '9007199254740992',
  '-9007199254740993',
  '1'.repeat(400),
  '1e309',
  '٣',
  '１',
  ' 1',
  '1 ',
  "'",
  '"',
  "';--",
  '\\',
  '\\\\',
  '%',
  '%00',
  '%25',
  '{}',
  '[]',
  '{"a":1}',
  '<b>',
  '$1',
  '(',
  '[',
  'a{1000}{1000}',
  '(?<n>a)',
  '\\C',
  '(?i)',
  '(a*)*b',
  '[[:alpha:]]',
  '\\pN',
  'x**',
  '{00000000-0000-0000-0000-000000000000}',
  '{ABCDEF00-0000-4000-8000-00000000000G}',
  'Feb 30 2024 12:00:00 AM',
  'Jan 1 99999 1:00:00 AM',
  'Mar 10 2024 2:30:00 AM',
  'now',
  'America/New_York',
  '../UTC',
  '+99:99',
  'UTC\0',
  'x'.repeat(300),
  'ü'.repeat(9000),
];

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 2, arbitrary: anyText({ maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.bigInt().map(String) },
  { weight: 2, arbitrary: fc.integer({ min: -5, max: 100 }).map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 12_000 }).map((length) => 'a'.repeat(length)) },
);

const name = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.keys(KNOWN)) },
  { weight: 2, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: anyText({ maxLength: 20 }) },
);

const decorated = fc
  .tuple(name, fc.constantFrom('', '', '', '', '[]', '[]', '[0]', '[a]', '[][]', '[', '.x', ' '))
  .map(([base, end]) => base + end);

const known = fc
  .constantFrom(...Object.entries(KNOWN))
  .chain(([key, values]) => fc.tuple(fc.constant(key), fc.constantFrom(...values)));

export type Pair = readonly [name: string, value: string];

/** Valid and invalid parameters, mostly from a caller with valid credentials. */
const pairs: fc.Arbitrary<Pair[]> = fc
  .record({
    who: fc.constantFrom(...withOrWithoutOne()),
    right: fc.array(known, { maxLength: 5 }),
    wrong: fc.array(fc.tuple(decorated, text), { maxLength: 4 }),
    group: fc.boolean(),
    // Otherwise the error would mostly be that a parameter was given twice.
    isOnce: fc.boolean(),
  })
  .map(({ who, right, wrong, group, isOnce }) => {
    const rest = group ? [['counter_group', guidOf(1)] as const] : [];
    const all = [...onceEach([...right, ...rest, ...who]), ...wrong];
    return isOnce ? onceEach(all) : all;
  });

/** The credentials and the context; sometimes one is missing, or the token is wrong. */
function withOrWithoutOne(): Pair[][] {
  const all: Pair[] = [
    ['username', ADA.username],
    ['api_token', ADA.token],
    ['context', CONTEXT],
  ];
  const wrong: Pair[] = [...all, ['api_token', WRONG_TOKEN]];
  const missing = all.map((one) => all.filter((each) => each !== one));
  return [...Array.from({ length: 8 }, () => all), wrong, ...missing];
}

const onceEach = (some: readonly Pair[]): Pair[] => [...new Map(some)];

/** Percent-encodes a text; a lone surrogate becomes invalid UTF-8. */
const encoded = (value: string): string =>
  [...value]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code >= 0xd800 && code <= 0xdfff) return '%ED%A0%80';
      return encodeURIComponent(character);
    })
    .join('');

const queryOf = (some: readonly Pair[]): string =>
  some.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&');

const BOUNDARY = 'x-boundary';

const multipartOf = (some: readonly Pair[]): string =>
  some
    .map(
      ([key, value]) =>
        `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
    )
    .concat(`--${BOUNDARY}--\r\n`)
    .join('');

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;
const JSON_TYPE = 'application/json';

const CONTENT_TYPES = [
  FORM,
  MULTIPART,
  JSON_TYPE,
  'APPLICATION/JSON; charset=utf-16',
  'application/json;',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  `multipart/form-data; boundary=${'b'.repeat(200)}`,
  'text/plain',
  ';',
  'a/b/c',
  'json',
  'application/graphql',
  'application/x-www-form-urlencoded; charset=utf-8',
  '*/*',
];

/** A body in JSON: parameters, some of them with values that no parameter can have. */
const jsonOf = (some: readonly Pair[], others: readonly unknown[]): string => {
  const entries = some.map(([key, value], i) => {
    const shown = i < others.length && i > 3 ? others[i] : value;
    return `${JSON.stringify(key)}:${JSON.stringify(shown) ?? 'null'}`;
  });
  return `{${entries.join(',')}}`;
};

const body = fc.oneof(
  pairs.map((some) => ({ type: FORM, bytes: Buffer.from(queryOf(some)) })),
  pairs.map((some) => ({ type: MULTIPART, bytes: Buffer.from(multipartOf(some)) })),
  fc
    .tuple(pairs, fc.array(fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.double()), { maxLength: 9 }))
    .map(([some, others]) => ({ type: JSON_TYPE, bytes: Buffer.from(jsonOf(some, others)) })),
  fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => ({ type: JSON_TYPE, bytes: Buffer.from(bytes) })),
);

/** A body, intact or damaged: cut, with bytes changed, or with another content type. */
const damagedBody = fc
  .record({
    body,
    type: fc.option(fc.constantFrom(...CONTENT_TYPES), { freq: 3 }),
    cut: fc.option(fc.nat({ max: 400 }), { freq: 3 }),
    bytes: fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 })), { maxLength: 3 }),
    isDamaged: fc.boolean(),
  })
  .map(({ body: { type, bytes }, ...how }) => {
    if (!how.isDamaged) return { type, bytes };
    const changed = Buffer.from(bytes.subarray(0, how.cut ?? bytes.length));
    for (const [at, byte] of how.bytes) if (at < changed.length) changed[at] = byte;
    return { type: how.type ?? type, bytes: changed };
  });

const endpoint = fc.constantFrom(...ENDPOINT_NAMES);

/** The query string: parameters, or nonsense. */
const query = fc.oneof(
  { weight: 6, arbitrary: pairs.map(queryOf) },
  { weight: 1, arbitrary: fc.constantFrom('%', '%zz=%', '=', '&&&', '?', '#', '%ff=%fe', '=a&=b') },
);

export type RestRequest = {
  readonly endpoint: (typeof ENDPOINT_NAMES)[number];
  readonly query: string;
  readonly call: HttpCall;
};

export const restRequests: fc.Arbitrary<RestRequest> = fc.oneof(
  fc.record({
    endpoint,
    query,
    call: fc
      .constantFrom('GET', 'GET', 'GET', 'GET', 'PUT')
      .map((method): HttpCall => ({ method })),
  }),
  fc.record({ endpoint, query: fc.oneof(fc.constant(''), query), body: damagedBody }).map(
    ({ body: { type, bytes }, ...rest }): RestRequest => ({
      ...rest,
      call: { method: 'POST', headers: { 'content-type': type }, body: bytes },
    }),
  ),
);
