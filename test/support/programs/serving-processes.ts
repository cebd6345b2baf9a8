import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { type HttpAnswer, type HttpCall, httpCall } from '../http/http-call.ts';
import { readMetrics } from '../http/metrics-text.ts';
import type { BuiltProgram } from './built-program.ts';

export type LogLine = {
  readonly msg: string;
  /** `parent`, or the number of a serving process. */
  readonly process: string;
  readonly pid: number;
  readonly [field: string]: unknown;
};

export type ServingProcesses = Awaited<ReturnType<typeof serveByProcesses>>;

/** Runs `serve --processes` on a database and a free port. */
export async function serveByProcesses(
  program: BuiltProgram,
  databaseUrl: string,
  { processes = 2, env = {} }: { processes?: number; env?: Readonly<Record<string, string>> } = {},
) {
  const main = join(program.folder, 'dist/bundle/main.js');
  const child = spawn(process.execPath, [main, 'serve', '--processes', String(processes)], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  const lines: LogLine[] = [];
  const other: string[] = [];
  createInterface(child.stderr).on('line', (line) => {
    const parsed = parseLine(line);
    if (parsed) lines.push(parsed);
    else other.push(line);
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const said = () => output.join('');
  while (!said().includes('is ready at') && child.exitCode === null) await delay(10);
  const [, url = ''] = /^countergraph is ready at (http:\S+)$/m.exec(said()) ?? [];
  /** Uses a new connection each time: any of the processes may answer. */
  const call = (path: string, how: HttpCall = {}): Promise<HttpAnswer> =>
    httpCall(url + path, { agent: new Agent(), ...how });
  return {
    child,
    ended,
    url,
    lines,
    said,
    call,
    /** Output other than log lines, as from a program that cannot start. */
    other,
    /** The log lines with this message so far. */
    told: (msg: string) => lines.filter((line) => line.msg === msg),
    /** The pid of each serving process, by its number. */
    pids: () => pidsOf(lines),
    metrics: async () => readMetrics((await call('/metrics')).text),
  };
}

function parseLine(line: string): LogLine | null {
  try {
    return JSON.parse(line);
  } catch {
    // Not a log line, or one mixed with that of another process.
    return null;
  }
}

function pidsOf(lines: readonly LogLine[]): ReadonlyMap<string, number> {
  const pids = new Map<string, number>();
  for (const { msg, child, childPid } of lines) {
    if (msg === 'a process serves') pids.set(String(child), Number(childPid));
  }
  return pids;
}

/** Waits until a condition holds; if it never does, the test's own timeout ends the wait. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

export function endAll(children: readonly ChildProcess[]): void {
  for (const child of children) child.kill('SIGKILL');
}
