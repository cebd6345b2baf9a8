import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Product } from '../systems/product.ts';
import type { FromServer } from './server-process.ts';
import type { ServerName } from './servers.ts';

export type ForkedServer = {
  readonly name: ServerName;
  readonly url: string;
  readonly pid: number;
  /** CPU time of all its threads so far, user and system. */
  cpuMicroseconds(): Promise<number>;
  stop(): Promise<void>;
};

/** product: the version that `beside` and `besideAnew` are of. */
export async function forkServer(
  name: ServerName,
  databaseUrl: string,
  product: Product,
): Promise<ForkedServer> {
  const child = fork(join(import.meta.dirname, 'server-process.js'), [name, product], {
    env: { ...process.env, DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
  });
  const ready = await nextMessage(child);
  if (ready.kind !== 'ready') throw new Error(`${name} said something else than its address`);
  return {
    name,
    url: ready.url,
    pid: child.pid ?? 0,
    async cpuMicroseconds() {
      child.send('cpu');
      const told = await nextMessage(child);
      if (told.kind !== 'cpu') throw new Error(`${name} did not tell its processor time`);
      return told.microseconds;
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

const nextMessage = (child: ChildProcess): Promise<FromServer> =>
  new Promise((resolve, reject) => {
    const failed = () => reject(new Error('a server under test has ended'));
    child.once('exit', failed);
    child.once('message', (message: FromServer) => {
      child.off('exit', failed);
      resolve(message);
    });
  });
