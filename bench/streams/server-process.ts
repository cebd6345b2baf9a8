import { once } from 'node:events';
import { memoryUsage } from 'node:process';
import { startServer } from '../systems/product.ts';

/** What a server holds after a full collection, in bytes. */
export type HeldMemory = {
  readonly rss: number;
  readonly heapUsed: number;
  /** Buffers, and what is decoded and shared between threads. */
  readonly external: number;
};

/** The server under test, in a process of its own: it ends with the bench that started it. */
export type FromServer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'held'; readonly held: HeldMemory };

const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl) throw new Error('DATABASE_URL must say where the data are');

// Under so much load many are slow, and the log says so of each.
const server = await startServer(databaseUrl, { variables: { COUNTERGRAPH_SLOW_MS: '3600000' } });
const tell = (message: FromServer): void => {
  process.send?.(message);
};

process.on('message', () => {
  globalThis.gc?.();
  const { rss, heapUsed, external } = memoryUsage();
  tell({ kind: 'held', held: { rss, heapUsed, external } });
});
tell({ kind: 'ready', url: server.url });

await once(process, 'disconnect');
await server.close();
process.exit();
