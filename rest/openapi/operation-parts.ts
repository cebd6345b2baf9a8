import { ERRORS, type ErrorKind } from '../../domain/errors.ts';
import { groupBy } from '../../domain/group-by.ts';
import { type JsonSchema, refTo } from '../json-schema.ts';
import type { Parameter } from '../parameters/parameter.ts';

/** The headers of answers, which operations refer to by name. */
export const HEADERS = {
  RequestId: {
    description: 'The id under which the log records this request.',
    schema: { type: 'string' },
  },
  EntityTag: {
    description:
      'If it is sent back as If-None-Match, the answer is 304 while nothing has changed.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 1 },
  },
  Authenticate: {
    description: 'The scheme of credentials to send; Basic is accepted too.',
    schema: { type: 'string', const: 'Bearer' },
  },
} as const;

/** Refers to headers of an answer. */
export const headers = (...names: readonly (keyof typeof HEADERS)[]): JsonSchema =>
  Object.fromEntries(
    names.map((name) => [HEADER_NAMES[name], { $ref: `#/components/headers/${name}` }]),
  );

const HEADER_NAMES = {
  RequestId: 'x-request-id',
  EntityTag: 'etag',
  RetryAfter: 'retry-after',
  Authenticate: 'www-authenticate',
} as const;

export const inQuery = ({
  name,
  meaning,
  required,
  schema,
  example,
}: Parameter<unknown>): JsonSchema => ({
  name,
  in: 'query',
  description: sentence(meaning),
  ...(required && { required }),
  schema,
  // One comma-separated text, as legacy callers write it.
  ...(schema['type'] === 'array' && { style: 'form', explode: false }),
  example,
});

export const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;

const HEADERS_OF_STATUS: Readonly<Record<number, readonly (keyof typeof HEADERS)[]>> = {
  401: ['Authenticate'],
  429: ['RetryAfter'],
  500: ['RetryAfter'],
  503: ['RetryAfter'],
};

/** Returns one response for each status, which lists the messages of that status. */
export function errorResponses(kinds: readonly ErrorKind[]): JsonSchema {
  const byStatus = groupBy(kinds, (kind) => ERRORS[kind].status);
  const responses = [...byStatus].map(([status, group]) => {
    const lines = group.map((kind) => `- \`${ERRORS[kind].message}\`: ${ERRORS[kind].when}`);
    return [
      status,
      {
        description: lines.join('\n'),
        headers: headers('RequestId', ...(HEADERS_OF_STATUS[status] ?? [])),
        content: { 'application/json': { schema: refTo('Error') } },
      },
    ];
  });
  return Object.fromEntries(responses);
}
