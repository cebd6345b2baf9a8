import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import etag from 'etag';
import fresh from 'fresh';
import { LIMITS } from '../../domain/limits.ts';
import { type Body, byteLength, bytesOf, chunksOf } from '../../domain/text/long-text.ts';
import { closeUnasked, isWaiting } from '../connections/expectation.ts';
import { hasLongBody } from '../connections/long-bodies.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';
import { encoded, encodingFor } from './encode-answer.ts';
import type { Answer, Exchange } from './http-exchange.ts';

/** Sends a response, compressed if the caller takes that. HEAD is GET without the body. */
export async function send(exchange: Exchange, plain: Answer): Promise<void> {
  const { request, response, method } = exchange;
  if (isWaiting(request)) closeUnasked(request, response);
  // A connection closed with unread input is reset, and the caller may never see the response.
  else if (!hasLongBody(request) && !(await discardRest(request)))
    response.setHeader('connection', 'close');
  const encoding = encodingFor(exchange, plain);
  const answer = encoding === null ? plain : await encoded(plain, encoding);
  if (response.destroyed) return;
  // The work is done; from here on only the caller can be slow.
  response.setTimeout(exchange.slowCallerMs);
  response.writeHead(answer.status, {
    ...answer.headers,
    // RFC 9110, 8.6: a 304 would have to name the length of the body that it does not send.
    ...(answer.status !== 304 && { 'content-length': byteLength(answer.body) }),
  });
  writeBody(response, method === 'HEAD' ? '' : answer.body, exchange.unread);
}

/** Reads and discards the rest of the body. False: it was too large, or took too long. */
async function discardRest(request: IncomingMessage): Promise<boolean> {
  if (request.complete || request.destroyed) return request.complete;
  return new Promise((resolve) => {
    let bytes = 0;
    const settle = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', settle).off('close', settle).pause();
      resolve(request.complete);
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > LIMITS.discardedBodyBytes) settle();
    };
    const timer = setTimeout(settle, LIMITS.discardMs);
    request.on('data', count).on('end', settle).on('close', settle).resume();
  });
}

/** Writes a body as its reader takes it. Returns at once; the response ends by itself. */
function writeBody(response: ServerResponse, body: Body, unread: UnreadAnswer): void {
  const bytes = byteLength(body);
  unread.complete(bytes, () => response.destroy());
  const isShort = bytes <= LIMITS.smallAnswerBytes && !Array.isArray(body);
  if (isShort) response.end(body);
  else writeChunks(response, body, unread);
}

/** Writes chunks one by one, so that each shows how far the reader has come. */
function writeChunks(response: ServerResponse, body: Body, unread: UnreadAnswer): void {
  const chunks = chunksOf(typeof body === 'string' ? bytesOf(body) : body);
  // Taken from the end of an array of its own, so that what is written can be freed.
  const left = chunks.flatMap(piecesOf).reverse();
  let written = 0;
  const goOn = () => {
    unread.take(written);
    written = 0;
    while (!response.destroyed) {
      const piece = left.pop();
      if (!piece) {
        response.end();
        return;
      }
      written += piece.length;
      if (!response.write(piece)) return;
    }
  };
  response.on('drain', goOn);
  goOn();
}

/** Node reports a write only when all of it was taken. */
function piecesOf(chunk: Buffer): readonly Buffer[] {
  const size = LIMITS.smallAnswerBytes;
  if (chunk.length <= 2 * size) return [chunk];
  return Array.from({ length: Math.ceil(chunk.length / size) }, (_, i) =>
    chunk.subarray(i * size, (i + 1) * size),
  );
}

/**
 * Adds the entity tag to the response to a GET or HEAD (RFC 9110, 8.8.3). Returns a 304 without a
 * body if the caller already has this response. Caches must keep a response for its caller only and
 * revalidate it each time, since data, grants and tokens may change at any moment.
 */
export function withEntityTag(exchange: Exchange, answer: Answer): Answer {
  const { request, method } = exchange;
  if (answer.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return answer;
  const headers = {
    ...answer.headers,
    'cache-control': 'private, no-cache',
    etag: ofEncoding(tagOf(answer), encodingFor(exchange, answer)),
  };
  // Only this header of the request counts. `fetch` adds `cache-control: no-cache` by itself to a
  // request with If-None-Match; that is meant for caches, and this is the origin server.
  const asked = { 'if-none-match': request.headers['if-none-match'] };
  if (!fresh(asked, headers)) return { ...answer, headers };
  return { status: 304, headers: withoutContent(headers), body: '' };
}

/** Each encoding of an answer has a tag of its own (RFC 9110, 8.8.3.3). */
const ofEncoding = (tag: string, encoding: string | null): string =>
  encoding === null ? tag : tag.replace(/"$/, `-${encoding}"`);

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
