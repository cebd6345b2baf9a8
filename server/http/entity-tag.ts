import { createHash } from 'node:crypto';
import etag from 'etag';
import fresh from 'fresh';
import { byteLength } from '../../domain/text/long-text.ts';
import type { Answer, Exchange } from './http-exchange.ts';

/**
 * Adds the entity tag to the response to a GET or HEAD (RFC 9110, 8.8.3). Returns a 304 without a
 * body if the caller already has this response. Caches must keep a response for its caller only and
 * revalidate it each time, since data, grants and tokens may change at any moment.
 */
export function withEntityTag({ request, method }: Exchange, answer: Answer): Answer {
  if (answer.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return answer;
  const headers = {
    ...answer.headers,
    'cache-control': 'private, no-cache',
    etag: tagOf(answer),
  };
  // Only this header of the request counts. `fetch` adds `cache-control: no-cache` by itself to a
  // request with If-None-Match; that is meant for caches, and this is the origin server.
  const asked = { 'if-none-match': request.headers['if-none-match'] };
  if (!fresh(asked, headers)) return { ...answer, headers };
  return { status: 304, headers: withoutContent(headers), body: '' };
}

/** RFC 9110, 15.4.5: a 304 has the headers of the 200, except those that describe the body. */
const withoutContent = (headers: Answer['headers']): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));

/** Tags of responses, so that a response that is sent repeatedly is hashed once. */
const TAGS = new WeakMap<Answer, string>();

function tagOf(answer: Answer): string {
  const known = TAGS.get(answer);
  if (known !== undefined) return known;
  const { body } = answer;
  const tag = typeof body === 'string' || Buffer.isBuffer(body) ? etag(body) : tagOfChunks(body);
  TAGS.set(answer, tag);
  return tag;
}

/** Hashes long text without joining it. */
function tagOfChunks(chunks: readonly Buffer[]): string {
  const hash = createHash('sha1');
  for (const chunk of chunks) hash.update(chunk);
  return `"${byteLength(chunks).toString(16)}-${hash.digest('base64').slice(0, 27)}"`;
}
