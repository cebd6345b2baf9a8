import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { processUsage } from '../systems/process-usage.ts';
import { spawnCommand } from '../systems/product.ts';

export type ServedProcesses = {
  readonly url: string;
  /** CPU time of all its processes together so far. */
  cpuMicroseconds(): Promise<number>;
  /** The processes that answer requests, without the spare one, in the order of their numbers. */
  servingPids(): Promise<number[]>;
  /** Whether a spare process has loaded the program. */
  hasSpare(): Promise<boolean>;
  stop(): Promise<void>;
};

/** Starts `countergraph serve --processes N`. `variables` override the default settings. */
export async function serveByProcesses(
  databaseUrl: string,
  processes: number,
  variables: Readonly<Record<string, string>>,
): Promise<ServedProcesses> {
  const child = spawnCommand(databaseUrl, ['serve', '--processes', String(processes)], {
    variables: { PORT: '0', LOG_LEVEL: 'fatal', NODE_ENV: 'production', ...variables },
  });
  const exited = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error('the server could not be started');
  return {
    url: await readyUrl(child.stdout),
    async cpuMicroseconds() {
      const usages = await Promise.all([pid, ...(await childrenOf(pid))].map(processUsage));
      return usages.reduce((sum, usage) => sum + (usage?.cpuSeconds ?? 0) * 1e6, 0);
    },
    async servingPids() {
      const children = await Promise.all((await childrenOf(pid)).map(titled));
      const serving = children.filter(({ title }) => /^countergraph: process \d/.test(title));
      return serving.toSorted((a, b) => a.title.localeCompare(b.title)).map((each) => each.pid);
    },
    async hasSpare() {
      const children = await Promise.all((await childrenOf(pid)).map(titled));
      return children.some(({ title }) => title.startsWith('countergraph: spare process'));
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

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

/** Returns the child processes of a process. */
export async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(parentOf));
  return pids.filter((_, i) => parents[i] === parent);
}

/** The title of a serving process contains its number. */
const titled = async (pid: number) => ({
  pid,
  title: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
});

async function parentOf(pid: number): Promise<number | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has ended meanwhile.
    return null;
  }
}
