import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuiltProgram } from './built-program.ts';
import { type HttpAnswer, type HttpCall, httpCall } from './http-call.ts';
import { readMetrics } from './metrics-text.ts';

export type LogLine = {
  readonly msg: string;
  /** `parent`, or the number of a process that serves. */
  readonly process: string;
  readonly pid: number;
  readonly [field: string]: unknown;
};

export type ServingProcesses = Awaited<ReturnType<typeof serveByProcesses>>;

/** `serve --processes` on a database and a port of its own. */
export async function serveByProcesses(
  program: BuiltProgram,
  databaseUrl: string,
  { processes = 2, env = {} }: { processes?: number; env?: Readonly<Record<string, string>> } = {},
) {
  const main = join(program.folder, 'dist/cli/main.js');
  const child = spawn(process.execPath, [main, 'serve', '--processes', String(processes)], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines: LogLine[] = [];
  const other: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    if (line.startsWith('{')) lines.push(JSON.parse(line));
    else other.push(line);
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const said = () => output.join('');
  while (!said().includes('is ready at') && child.exitCode === null) await delay(10);
  const [, url = ''] = /^countergraph is ready at (http:\S+)$/m.exec(said()) ?? [];
  /** On a connection of its own: any of the processes may answer. */
  const call = (path: string, how: HttpCall = {}): Promise<HttpAnswer> =>
    httpCall(url + path, { agent: new Agent(), ...how });
  return {
    child,
    ended,
    url,
    lines,
    said,
    call,
    /** What is no line of the log, as a program says that cannot start. */
    other,
    /** Lines of this message so far. */
    told: (msg: string) => lines.filter((line) => line.msg === msg),
    /** The pid of each process that serves, by its number. */
    pids: () => pidsOf(lines),
    metrics: async () => readMetrics((await call('/metrics')).text),
  };
}

function pidsOf(lines: readonly LogLine[]): ReadonlyMap<string, number> {
  const pids = new Map<string, number>();
  for (const { msg, child, childPid } of lines) {
    if (msg === 'a process serves') pids.set(String(child), Number(childPid));
  }
  return pids;
}

/** Waits for what will come to pass; the test's own time limit ends a wait for what does not. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

export function endAll(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill('SIGKILL');
}
