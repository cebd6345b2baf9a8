import fc from 'fast-check';
import type { HttpCall } from '../support/http/http-call.ts';
import { ADA, basic } from '../support/lab/service.ts';
import { anyText } from '../support/random/any-text.ts';
import type { RandomDocument } from '../support/random/write-document.ts';

/** A POST of JSON by ADA. */
export const postOf = (body: unknown): HttpCall => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...basic(ADA) },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Documents that may be invalid: parts are removed, repeated or inserted. */
export const brokenDocuments = (
  documents: fc.Arbitrary<RandomDocument>,
): fc.Arbitrary<RandomDocument> =>
  fc
    .tuple(documents, fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([document, changes]) => ({
      ...document,
      query: changes.reduce((text, apply) => apply(text), document.query),
    }));

type Change = (text: string) => string;

/** A position in a text, as a fraction of its length. */
const place = fc.double({ min: 0, max: 1, noNaN: true });

const put = fc.oneof(
  fc.constantFrom(...'{}()[]:$!@="\\#&|,.', '...', '"""', '\0', '\u{FEFF}', '\uD800', '\u2028'),
  fc.constantFrom('null', 'on', 'query', 'mutation', 'subscription', 'fragment', '__proto__'),
  fc.constantFrom('"\\u{110000}"', '"\\uD800"', '1e999', '-', '00', '0x1', '"unterminated', '$$v'),
  anyText({ maxLength: 5 }),
);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, put).map(
    ([at, piece]): Change =>
      (text) =>
        insert(text, at, piece),
  ),
  fc.tuple(place, place).map(
    ([at, length]): Change =>
      (text) => {
        const start = Math.floor(at * text.length);
        return text.slice(0, start) + text.slice(start + Math.ceil(length * 20));
      },
  ),
  fc.tuple(place, place, place).map(
    ([from, length, to]): Change =>
      (text) => {
        const start = Math.floor(from * text.length);
        return insert(text, to, text.slice(start, start + Math.ceil(length * 60)));
      },
  ),
  place.map(
    (at): Change =>
      (text) =>
        text.slice(0, Math.floor(at * text.length)),
  ),
);

function insert(text: string, at: number, piece: string): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + piece + text.slice(start);
}

/** Valid documents with variables of any kind. */
export const withWrongVariables = (documents: fc.Arbitrary<RandomDocument>): fc.Arbitrary<object> =>
  fc
    .tuple(documents, fc.infiniteStream(fc.jsonValue({ maxDepth: 2 })), fc.jsonValue())
    .map(([{ query, operationName, variables }, values, other]) => {
      const names = Object.keys(variables);
      const wrong = Object.fromEntries(names.map((name) => [name, values.next().value]));
      return { query, operationName, variables: names.length > 0 ? wrong : other };
    });

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/graphql',
  'application/graphql-response+json',
  'text/plain',
  '',
  ';',
  'json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'a/b; c="d',
];

const ACCEPTS = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'image/png',
  'text/event-stream',
  'multipart/mixed',
  '',
  ';q=',
  'application/*;q=0',
  'a'.repeat(3000),
];

const AUTHORIZATIONS = [
  'Basic',
  'Basic ====',
  'Basic YWRh',
  'Bearer',
  'Bearer x y',
  'Digest a=b',
  '',
  'Basic 4pyT',
  'Bearer ada-secret',
  `Basic ${Buffer.from('ada:ada-secret').toString('base64')}`,
];

const header = (name: string, values: readonly string[]) =>
  fc.constantFrom(...values).map((value) => ({ [name]: value }));

const headers = fc
  .tuple(
    fc.oneof(fc.constant({}), header('content-type', CONTENT_TYPES)),
    fc.oneof(fc.constant({}), fc.constant({}), header('accept', ACCEPTS)),
    fc.oneof(fc.constant({}), fc.constant({}), header('authorization', AUTHORIZATIONS)),
  )
  .map(([type, accept, authorization]) => ({
    'content-type': 'application/json',
    ...basic(ADA),
    ...type,
    ...accept,
    ...authorization,
  }));

/** Members of a request's object, mostly with wrong values. */
const members = fc.dictionary(
  fc.constantFrom('query', 'variables', 'operationName', 'extensions', 'id', '__proto__'),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant('{ __typename }')),
);

const bytes = fc.oneof(
  members.map((object) => Buffer.from(JSON.stringify(object))),
  fc.array(members, { maxLength: 3 }).map((batch) => Buffer.from(JSON.stringify(batch))),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc.uint8Array({ maxLength: 60 }).map((random) => Buffer.from(random)),
  // A byte order mark, invalid UTF-8, another encoding, duplicate members, and wrong types.
  fc.constantFrom(
    Buffer.from('\u{FEFF}{"query":"{ __typename }"}'),
    Buffer.from('{"query":"{ \u{FEFF}__typename }"}'),
    Buffer.from([...Buffer.from('{"query":"{ a'), 0xff, 0xc0, ...Buffer.from(' }"}')]),
    Buffer.from('{"query":"{ __typename }"}', 'utf16le'),
    Buffer.from('{"query":"{ __typename }","query":"{ viewer { username } }"}'),
    Buffer.from('{"query":"query A { __typename } query B { __typename }"}'),
    Buffer.from('query={__typename}'),
    Buffer.from('{ __typename }'),
  ),
);

const inUrl = fc
  .dictionary(
    fc.constantFrom('query', 'variables', 'operationName', 'extensions', 'api_token', 'x'),
    fc.oneof(
      fc.constantFrom('{ __typename }', '{ viewer { username } }', '{', '[]', 'null', '{"a":1}'),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map((parameters) => `?${new URLSearchParams({ ...parameters })}`);

export type GraphRequest = { readonly query: string; readonly call: HttpCall };

/** Requests whose body, method, address or headers are wrong. */
export const oddRequests: fc.Arbitrary<GraphRequest> = fc.oneof(
  // The other requests are hardly ever wrong in their credentials alone.
  headers.map(
    (given): GraphRequest => ({
      query: '',
      call: { method: 'POST', headers: given, body: '{"query":"{ viewer { username } }"}' },
    }),
  ),
  fc
    .record({ headers, body: bytes, query: fc.oneof(fc.constant(''), inUrl) })
    .map(({ query, ...call }): GraphRequest => ({ query, call: { method: 'POST', ...call } })),
  fc
    .record({ method: fc.constantFrom('GET', 'GET', 'GET', 'PUT', 'DELETE', 'HEAD'), headers })
    .chain(({ method, headers: given }) => {
      // A GET with a content type is what a browser's form can send.
      const call: HttpCall = { method, headers: given };
      return inUrl.map((query): GraphRequest => ({ query, call }));
    }),
);
