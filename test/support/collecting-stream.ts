import { PassThrough } from 'node:stream';

/** A stream that keeps what is written to it; the log asks it for nothing but that. */
export function collectingStream(lines: string[]): NodeJS.WriteStream {
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  return stream as unknown as NodeJS.WriteStream;
}
