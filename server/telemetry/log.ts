import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import type { Settings } from '../settings/settings.ts';

export type { Logger } from 'pino';

/**
 * JSON lines on a pipe, readable text on a terminal. Written at once: nothing is lost on exit.
 * base: what every line has, such as which of several processes it is of.
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
