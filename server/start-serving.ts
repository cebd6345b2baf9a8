import { expectedSchemaVersion } from '../db/migrate.ts';
import { isCheckout } from '../db/project-root.ts';
import { MEBIBYTE } from '../domain/byte-units.ts';
import { LIMITS } from '../domain/limits.ts';
import { Drain } from './connections/drain.ts';
import { listen } from './connections/listen.ts';
import { endedWithin } from './ended-within.ts';
import { createHttpServer } from './http-server.ts';
import { type BuiltPage, createDashboard, readPage } from './pages/dashboard.ts';
import type { ExplorerOptions } from './pages/explorer.ts';
import { createService, type Service, type ServiceOptions } from './service/service.ts';

export type ServingOptions = ServiceOptions & {
  readonly explorer: ExplorerOptions;
  /** Whether a worker thread is started before there is work for it. */
  readonly startsThread?: boolean;
};

export type Serving = {
  /** Such as `http://127.0.0.1:4000`, with the port that the server listens on. */
  readonly url: string;
  readonly service: Service;
  /**
   * Stops accepting requests, answers those in progress and releases every connection. Does not
   * wait long for a database that does not answer.
   */
  end(): Promise<void>;
};

/** Answers requests, and does nothing else. Errors: the server cannot listen on the address. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { explorer, settings } = options;
  const page = await pageOf(options);
  // An upgrade may replace the files before anybody asks whether this server is ready.
  await expectedSchemaVersion();
  const service = createService({ ...options, ...(page && { pageDocuments: page.documents }) });
  // Not the form to type, as in the terminal: strangers see the page and need not know folders.
  const command = isCheckout() ? 'npx countergraph' : 'countergraph';
  const uploadMegabytes = settings.uploadBytes / MEBIBYTE;
  const demo = explorer.credentials;
  const dashboard =
    page &&
    createDashboard(page, {
      demo,
      command,
      uploadMegabytes,
      hasExplorer: settings.explorer !== 'off',
    });
  const drain = new Drain();
  const server = createHttpServer(service, { pages: { explorer, dashboard }, drain });
  const address = await listen(server, settings.host, settings.port);
  if (options.startsThread) service.memory.threadPool.startThread();
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    service,
    async end() {
      const graceMs = settings.shutdownSeconds * 1000;
      const ended = drain.end(server, graceMs).then(() => service.close());
      if (await endedWithin(ended, graceMs + LIMITS.processEndMs)) return;
      service.log.warn('the connections to the database do not end, and are abandoned');
    },
  };
}

async function pageOf({ settings, log }: ServiceOptions): Promise<BuiltPage | null> {
  if (settings.dashboard === 'off') return null;
  const page = await readPage();
  if (!page) log.warn('there is no dashboard at /: it was not built, run `npm run build`');
  return page;
}
