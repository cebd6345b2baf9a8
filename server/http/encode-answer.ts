import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../domain/limits.ts';
import { type Body, byteLength, bytesOf, chunksOf } from '../../domain/text/long-text.ts';
import { sizeWithCopies } from '../../engine/cache/response-cache.ts';
import { Turns } from '../../resolvers/turns.ts';
import type { Answer, Exchange } from './http-exchange.ts';
import { preferredEncoding, refusesPlain } from './negotiate.ts';

/** Encodings of answers, the one with the smallest result first. */
const ENCODINGS = ['br', 'gzip'] as const;

type Encoding = (typeof ENCODINGS)[number];

/** Texts, and JSON in all its media types; pictures are compressed already. */
const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?json\b|image\/svg)/;

/**
 * Returns how an answer is compressed for a caller; null: not at all. What depends on
 * `Accept-Encoding` says so in its header `Vary`, however it is sent (RFC 9110, 12.5.5).
 */
export function encodingFor({ request, response }: Exchange, answer: Answer): Encoding | null {
  const { headers, body } = answer;
  if (headers['content-encoding'] !== undefined) return null;
  if (!COMPRESSIBLE.test(headers['content-type'] ?? '')) return null;
  const accepted = request.headers['accept-encoding'];
  if (byteLength(body) < LIMITS.compressedAnswerBytes && !refusesPlain(accepted)) return null;
  const vary = String(response.getHeader('vary') ?? '');
  if (!/accept-encoding/i.test(vary)) response.appendHeader('vary', 'Accept-Encoding');
  return preferredEncoding(accepted, ENCODINGS) ?? null;
}

/** Compresses an answer, in zlib's threads. One that is sent repeatedly is compressed once. */
export async function encoded(answer: Answer, encoding: Encoding): Promise<Answer> {
  const { status, headers, body } = answer;
  const known = packedBodies(body);
  const packed = known.get(encoding) ?? ENCODERS.run(() => pack(body, encoding));
  known.set(encoding, packed);
  return {
    status,
    headers: { ...headers, 'content-encoding': encoding },
    body: await packed,
  };
}

/** Each takes memory while it runs: Brotli two megabytes for a long answer. */
const ENCODERS = new Turns(LIMITS.compressedAtOnce);

type Packed = Map<Encoding, Promise<readonly Buffer[]>>;

/** Of long answers: as long as they are remembered themselves. */
const OF_CHUNKS = new WeakMap<object, Packed>();

/** Of short answers, found by their text, which the memory of answers keeps, too. */
const OF_TEXTS = new LRUCache<string, Packed>({
  maxSize: LIMITS.compressedTextsBytes,
  sizeCalculation: (_, text) => sizeWithCopies(text.length),
});

function packedBodies(body: Body): Packed {
  const known = typeof body === 'string' ? OF_TEXTS.get(body) : OF_CHUNKS.get(body);
  if (known) return known;
  const packed: Packed = new Map();
  if (typeof body === 'string') OF_TEXTS.set(body, packed);
  else OF_CHUNKS.set(body, packed);
  return packed;
}

/** Fast levels: an answer waits for this, and higher ones make it only some percent smaller. */
const createEncoder = {
  br: (size: number) =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_SIZE_HINT]: size,
      },
    }),
  gzip: () => createGzip({ level: 4 }),
} as const;

/** Compresses chunk by chunk, so that a long answer is not in memory twice. */
async function pack(body: Body, encoding: Encoding): Promise<readonly Buffer[]> {
  const encoder = createEncoder[encoding](byteLength(body));
  const packed: Buffer[] = [];
  // Each chunk is a part of zlib's own buffer of 16 kB, which would be remembered as a whole.
  encoder.on('data', (chunk: Buffer) => {
    const own = Buffer.allocUnsafeSlow(chunk.length);
    chunk.copy(own);
    packed.push(own);
  });
  const ended = new Promise<void>((resolve, reject) => {
    encoder.once('end', resolve).once('error', reject);
  });
  for (const chunk of chunksOf(typeof body === 'string' ? bytesOf(body) : body)) {
    if (!encoder.write(chunk)) await new Promise((resolve) => encoder.once('drain', resolve));
  }
  encoder.end();
  await ended;
  return packed;
}
