import { THIS_PRODUCT } from '../systems/product.ts';
import { SERVERS, type ServerName } from './servers.ts';

/** Messages of a server in its own process, which reports its CPU time on request. */
export type FromServer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'cpu'; readonly microseconds: number };

const name = process.argv[2] as ServerName;
const product = process.argv[3] ?? THIS_PRODUCT;
const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl) throw new Error('DATABASE_URL must say where the data are');

const tell = (message: FromServer): void => {
  process.send?.(message);
};

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  tell({ kind: 'cpu', microseconds: user + system });
});
process.on('disconnect', () => process.exit());
tell({ kind: 'ready', url: await SERVERS[name](databaseUrl, product) });
