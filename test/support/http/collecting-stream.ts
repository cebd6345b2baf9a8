import { PassThrough } from 'node:stream';

/** A stream that collects what is written to it; the log uses nothing else of a WriteStream. */
export function collectingStream(lines: string[]): NodeJS.WriteStream {
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  return stream as unknown as NodeJS.WriteStream;
}
