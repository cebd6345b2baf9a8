import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ExplorerOptions } from '../../server/pages/explorer.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import { createLog } from '../../server/telemetry/log.ts';

/** The page and its assets need no database: nothing connects to this one. */
export const NO_DATABASE = 'postgres://nobody@127.0.0.1:1/nothing';

export const DEMO: ExplorerOptions = { credentials: { username: 'demo', token: 'demo' } };

/** Starts the real server on a free port, without a log. */
export const startExplorerServer = (
  databaseUrl: string,
  explorer: ExplorerOptions,
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningServer> =>
  startServer({
    settings: readSettings({ PORT: '0', ...environment }),
    databaseUrl,
    log: createLog('silent', process.stderr),
    explorer,
  });

export type RawAnswer = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** As received, compressed or not. */
  readonly body: Buffer;
};

/** Sends a request with these headers alone: `fetch` would add encodings, and decode them. */
export function ask(
  url: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (answer) => {
      const { statusCode: status, headers: received } = answer;
      buffer(answer).then((body) => resolve({ status, headers: received, body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}
