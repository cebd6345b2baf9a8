import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { type CollectTarget, listenText } from '../domain/collect-target.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Logger } from '../server/telemetry/log.ts';

type CollectorsOptions = {
  readonly targets: readonly CollectTarget[];
  readonly log: Logger;
};

/** The collectors that run beside a server. */
export type Collectors = {
  /** Ends them: each commits what it has read. */
  readonly close: () => Promise<void>;
};

/**
 * Runs `collect` beside a server, each in a process of its own: on a busy network it keeps a
 * processor busy, for which requests should not have to wait. One that ends is started again.
 */
export function startCollectors({ targets, log }: CollectorsOptions): Collectors {
  const ending = new AbortController();
  const running = targets.map((target) => keepCollecting(target, log, ending.signal));
  return {
    async close() {
      ending.abort();
      await Promise.all(running);
    },
  };
}

async function keepCollecting(
  target: CollectTarget,
  log: Logger,
  ending: AbortSignal,
): Promise<void> {
  let pauseMs: number = LIMITS.collectFirstRestartMs;
  while (!ending.aborted) {
    const startedMs = performance.now();
    const status = await runCollector(target, ending);
    if (ending.aborted) return;
    const hasRun = performance.now() - startedMs >= LIMITS.collectLongestRestartMs;
    pauseMs = hasRun ? LIMITS.collectFirstRestartMs : pauseMs;
    const { context } = target;
    log.warn({ context, status, pauseMs }, 'a collector has ended, and is started again');
    await delay(pauseMs, undefined, { signal: ending }).catch(() => {});
    pauseMs = Math.min(2 * pauseMs, LIMITS.collectLongestRestartMs);
  }
}

/** Lets a collector end with its standard input. */
const BESIDE = '--until-input-ends';

/** Runs a collector until it ends. Returns its exit status or the signal that ended it. */
function runCollector(
  { context, listen }: CollectTarget,
  ending: AbortSignal,
): Promise<number | string | null> {
  const where = listen === null ? [] : ['--listen', listenText(listen)];
  // The pipe closes with this process, however it ends: then the collector ends, too.
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? '', 'collect', '--context', context, ...where, BESIDE],
    { stdio: ['pipe', 'inherit', 'pipe'] },
  );
  // Not a terminal, on which it would show its state in place.
  child.stderr?.pipe(process.stderr, { end: false });
  const end = () => endSoon(child);
  ending.addEventListener('abort', end, { once: true });
  return new Promise((resolve) => {
    const settle = (status: number | string | null) => {
      ending.removeEventListener('abort', end);
      resolve(status);
    };
    child.on('error', (error) => settle(error.message));
    child.on('close', (code, signal) => settle(code ?? signal));
  });
}

/** Ends a collector; kills it if its last commit takes too long. */
function endSoon(child: ChildProcess): void {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMITS.collectEndMs);
  child.on('close', () => clearTimeout(timer));
}
