import type { ServerResponse } from 'node:http';
import { LIMITS } from '../../domain/limits.ts';
import { type Body, byteLength, bytesOf, chunksOf } from '../../domain/text/long-text.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';

/** Writes a body as its reader takes it. Returns at once; the response ends by itself. */
export function writeBody(response: ServerResponse, body: Body, unread: UnreadAnswer): void {
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
