import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { currentRequest } from './current-request.ts';
import type { Settings } from './settings.ts';

export type { Logger } from 'pino';

/** JSON lines on a pipe, readable text on a terminal. Written at once: nothing is lost on exit. */
export function createLog(level: Settings['logLevel'], stream: NodeJS.WriteStream): Logger {
  const options = { level, base: null, mixin: nameRequest };
  if (!stream.isTTY) return pino(options, stream);
  return pino(options, pretty({ destination: stream, sync: true, ignore: 'pid,hostname' }));
}

/** Each line that is written for a request names it. */
function nameRequest(): object {
  const request = currentRequest.getStore();
  if (!request) return {};
  const { requestId, span } = request;
  return span ? { requestId, traceId: span.traceId } : { requestId };
}
