import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createGraphClient, type GraphClient } from './graph-client.ts';
import { type ProcessUsage, processUsage } from './process-usage.ts';
import { type Product, spawnCommand } from './product.ts';

export type Served = GraphClient & {
  /** Usage of its process so far. null if the machine does not report it. */
  usage(): Promise<ProcessUsage | null>;
  stop(): Promise<void>;
};

/** Starts `countergraph serve` in its own process with default settings. */
export async function serve(databaseUrl: string, product: Product): Promise<Served> {
  const variables = { PORT: '0', LOG_LEVEL: 'warn' };
  const child = spawnCommand(databaseUrl, ['serve'], { variables, product });
  const exited = once(child, 'exit');
  const url = await readyUrl(child.stdout);
  const client = createGraphClient(url);
  return {
    ask: client.ask,
    close: client.close,
    usage: async () => (child.pid === undefined ? null : processUsage(child.pid)),
    async stop() {
      client.close();
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Reads the URL from the server's output. Errors: the server ends before it is ready. */
async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /is ready at (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    // Further output must not fill the pipe.
    output.resume();
    return url;
  }
  throw new Error('the server ended before it was ready');
}
