import type { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../settings/settings.ts';

export type { Logger } from 'pino';

/**
 * Where the lines of a log are written, which are JSON: unchanged to a pipe, as readable text to a
 * terminal. Lines are passed on at once.
 */
export function logOutput(stream: NodeJS.WriteStream): Writable {
  if (!stream.isTTY) return stream;
  return pretty({ destination: stream, sync: true, ignore: 'pid,hostname' });
}

/** Creates a log. base: fields of every line, such as the number of the process. */
export function createLog(
  level: Settings['logLevel'],
  output: Writable,
  base: Readonly<Record<string, string | number>> | null = null,
): Logger {
  return pino({ level, base }, output);
}
