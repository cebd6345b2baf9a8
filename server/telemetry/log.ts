import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../settings/settings.ts';

export type { Logger } from 'pino';

/**
 * Creates a log: JSON lines on a pipe, readable text on a terminal. Lines are passed on at
 * once. base: fields of every line, such as the number of the process.
 */
export function createLog(
  level: Settings['logLevel'],
  stream: NodeJS.WriteStream,
  base: Readonly<Record<string, string | number>> | null = null,
): Logger {
  const options = { level, base };
  if (!stream.isTTY) return pino(options, stream);
  return pino(options, pretty({ destination: stream, sync: true, ignore: 'pid,hostname' }));
}
