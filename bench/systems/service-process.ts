import { once } from 'node:events';
import { startServer, THIS_PRODUCT } from './product.ts';

/** Messages of the server under test. Its process ends with the bench that started it. */
export type FromService =
  | { readonly kind: 'ready'; readonly url: string; readonly canEmpty: boolean }
  | { readonly kind: 'emptied' };

export type ToService = 'empty';

const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl) throw new Error('DATABASE_URL must say where the data are');

// No caches of answers, because computing answers is what is measured, unless a command says so.
const { COUNTERGRAPH_RESPONSE_CACHE_MB = '0' } = process.env;
const server = await startServer(databaseUrl, {
  variables: { COUNTERGRAPH_ANSWER_CACHE_MB: '0', COUNTERGRAPH_RESPONSE_CACHE_MB },
  product: process.argv[2] ?? THIS_PRODUCT,
});
const tell = (message: FromService): void => {
  process.send?.(message);
};

process.on('message', (message: ToService) => {
  if (message !== 'empty') return;
  server.emptyCaches?.();
  tell({ kind: 'emptied' });
});
tell({ kind: 'ready', url: server.url, canEmpty: server.emptyCaches !== undefined });

await once(process, 'disconnect');
await server.close();
process.exit();
