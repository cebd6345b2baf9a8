import type { ServerResponse } from 'node:http';
import { type Body, byteLength, chunksOf } from '../../domain/text/long-text.ts';
import type { UnreadAnswer } from '../connections/unread-answers.ts';

/** Writes a body as its reader takes it. Returns at once; the response ends by itself. */
export function writeBody(response: ServerResponse, body: Body, unread: UnreadAnswer): void {
  unread.complete(byteLength(body), () => response.destroy());
  response.once('close', () => unread.release());
  if (typeof body === 'string' || Buffer.isBuffer(body)) response.end(body);
  else writeChunks(response, body, unread);
}

/** Writes chunks one by one, so that each shows how far the reader has come. */
function writeChunks(
  response: ServerResponse,
  body: readonly Buffer[],
  unread: UnreadAnswer,
): void {
  const chunks = chunksOf(body).values();
  let written = 0;
  const goOn = () => {
    unread.take(written);
    written = 0;
    while (!response.destroyed) {
      const { value: chunk, done } = chunks.next();
      if (done) {
        response.end();
        return;
      }
      written += chunk.length;
      if (!response.write(chunk)) return;
    }
  };
  response.on('drain', goOn);
  goOn();
}
