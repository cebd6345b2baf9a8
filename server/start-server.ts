import { isCheckout } from '../db/command-form.ts';
import { type BuiltPage, readPage } from './dashboard/read-page.ts';
import { createDashboard } from './dashboard.ts';
import { Drain } from './drain.ts';
import type { ExplorerOptions } from './explorer.ts';
import { createHttpServer } from './http-server.ts';
import { type KeepRetentionOptions, keepRetention } from './keep-retention.ts';
import { listen } from './listen.ts';
import { type KeepMergedOptions, keepMerged } from './merging/keep-merged.ts';
import { createService, type ServiceOptions } from './service.ts';

export type RunningServer = {
  /** `http://127.0.0.1:4000`, with the port that was taken. */
  readonly url: string;
  /** Says on /readyz that requests should go elsewhere, and still answers all. */
  beginToClose(): void;
  /** Forgets all that is remembered between requests: the next ones read everything anew. */
  emptyCaches(): void;
  /** Merges and sweeps now what the server would merge and sweep at its next look. */
  mergeNow(): Promise<void>;
  /** Drops now the slices that the server would drop at its next look. */
  dropExpiredNow(): Promise<void>;
  /** Takes no more requests, answers those it has, gives every connection back. */
  close(): Promise<void>;
};

/** Serves until closed. Errors: the address cannot be listened on. */
export async function startServer(
  options: ServiceOptions & {
    explorer: ExplorerOptions;
    /** When and how segments are merged; delays null: never by itself. */
    merging?: Pick<KeepMergedOptions, 'delays' | 'visit'>;
    /** When to look for slices that are older than their context keeps them; null: never. */
    retention?: KeepRetentionOptions['delays'];
    /** Whether a thread of the kernel is started before there is work for it. */
    startsThread?: boolean;
  },
): Promise<RunningServer> {
  const { explorer } = options;
  const page = await pageOf(options);
  const service = createService({ ...options, ...(page && { pageDocuments: page.documents }) });
  // Not the form of messages in a terminal: strangers see the page, and need not know folders.
  const command = isCheckout() ? 'npx countergraph' : 'countergraph';
  const dashboard = page && createDashboard(page, { demo: explorer.credentials, command });
  const drain = new Drain();
  const server = createHttpServer(service, { pages: { explorer, dashboard }, drain });
  const { host, port } = options.settings;
  const address = await listen(server, host, port);
  const { databaseUrl, log, merging, retention, startsThread = false } = options;
  if (startsThread) service.memory.threadPool.startThread();
  const merger = keepMerged({
    databaseUrl,
    log,
    tally: service.merging,
    ...(options.clock && { clock: options.clock }),
    ...merging,
  });
  const retainer = keepRetention({
    databaseUrl,
    log,
    tally: service.retention,
    ...(options.clock && { clock: options.clock }),
    ...(retention !== undefined && { delays: retention }),
  });
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${name}:${address.port}`,
    beginToClose: () => service.state.beginToClose(),
    emptyCaches: () => service.memory.clear(),
    mergeNow: () => merger.runOnce(),
    dropExpiredNow: () => retainer.runOnce(),
    async close() {
      service.state.beginToClose();
      const stopped = [merger.stop(), retainer.stop()];
      await drain.end(server, options.settings.shutdownSeconds * 1000);
      await Promise.all([...stopped, service.close()]);
    },
  };
}

async function pageOf({ settings, log }: ServiceOptions): Promise<BuiltPage | null> {
  if (settings.dashboard === 'off') return null;
  const page = await readPage();
  if (!page) log.warn('there is no dashboard at /: it was not built, run `npm run build`');
  return page;
}
