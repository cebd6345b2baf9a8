import { once } from 'node:events';
import { memoryUsage } from 'node:process';
import { startServer } from '../systems/product.ts';

/** A server's memory after a full garbage collection, in bytes. */
export type HeldMemory = {
  readonly rss: number;
  readonly heapUsed: number;
  /** Buffers, and decoded data that threads share. */
  readonly external: number;
};

/** Messages of the server under test. Its process ends with the bench that started it. */
export type FromServer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'held'; readonly held: HeldMemory };

const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl) throw new Error('DATABASE_URL must say where the data are');

// Under this load many requests are slow, and the log would report each of them.
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
