import { LIMITS } from '../domain/limits.ts';
import { endedWithin } from './ended-within.ts';

/** Ends the process once its output is written, unless nobody reads that. */
export async function exitOnceWritten(): Promise<void> {
  const streams = [process.stdout, process.stderr];
  await endedWithin(Promise.all(streams.map(written)), LIMITS.processEndMs);
  process.exit();
}

/** Resolves when everything before it is written, or never will be. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));
