import etag from 'etag';
import fresh from 'fresh';
import type { Answer, Exchange } from './http-exchange.ts';

/**
 * An answer to a GET or HEAD with its entity tag (RFC 9110, 8.8.3); 304 without a body when the
 * caller has just this one already. It is the caller's alone and asked for again each time, since
 * data, grants and tokens may change at any moment.
 */
export function withEntityTag({ request, method }: Exchange, answer: Answer): Answer {
  if (answer.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return answer;
  const headers = {
    ...answer.headers,
    'cache-control': 'private, no-cache',
    etag: tagOf(answer),
  };
  // No more of the request than this: `cache-control: no-cache`, which `fetch` adds by itself to a
  // request that says If-None-Match, is for caches, and this is where the answer comes from.
  const asked = { 'if-none-match': request.headers['if-none-match'] };
  if (!fresh(asked, headers)) return { ...answer, headers };
  return { status: 304, headers: withoutContent(headers), body: '' };
}

/** RFC 9110, 15.4.5: what describes a body would be of none; the rest is as of a 200. */
const withoutContent = (headers: Answer['headers']): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));

/** Answers that are given again and again are hashed once. */
const TAGS = new WeakMap<Answer, string>();

function tagOf(answer: Answer): string {
  const known = TAGS.get(answer);
  if (known !== undefined) return known;
  const tag = etag(answer.body);
  TAGS.set(answer, tag);
  return tag;
}
