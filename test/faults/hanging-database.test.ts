import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type BreakableServer, startBreakable } from '../support/database/breakable-server.ts';
import { makeReady } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { isRunning } from '../support/programs/processes.ts';
import { pauseServer, resumeServer } from '../support/programs/server-processes.ts';
import {
  endAll,
  type ServingProcesses,
  serveByProcesses,
  until,
} from '../support/programs/serving-processes.ts';

let program: BuiltProgram;
let server: BreakableServer;
const started: ChildProcess[] = [];

beforeAll(async () => {
  program = await buildProgram();
  server = await startBreakable();
  await makeReady(server.url);
});

afterEach(() => {
  resumeServer(server);
  endAll(started.splice(0));
});

afterAll(async () => {
  await server?.remove();
  await program?.remove();
});

/** Serves on a database that then stops answering, in the middle of what runs in the background. */
async function serveAndHang(processes: number): Promise<ServingProcesses> {
  const serving = await serveByProcesses(program, server.url, { processes });
  started.push(serving.child);
  await until(async () => (await serving.metrics()).value('countergraph_alerts_deciding') === 1);
  pauseServer(server);
  // The alerts, which are looked at each second, have begun to wait by then.
  await until(async () => (await serving.call('/readyz')).status === 503);
  return serving;
}

describe.each([1, 2])('serve --processes %i, whose database hangs', (processes) => {
  it('ends after SIGTERM', { timeout: 60_000 }, async () => {
    const serving = await serveAndHang(processes);
    serving.child.kill('SIGTERM');
    expect(await serving.ended).toEqual([0, null]);
    for (const pid of serving.pids().values()) expect(isRunning(pid)).toBe(false);
    const abandoned = serving.told('background work does not end, and is abandoned');
    expect(abandoned).toHaveLength(1);
  });

  it('ends immediately after another SIGTERM', { timeout: 60_000 }, async () => {
    const serving = await serveAndHang(processes);
    serving.child.kill('SIGTERM');
    while (serving.child.exitCode === null && serving.child.signalCode === null) {
      serving.child.kill('SIGTERM');
      await delay(100);
    }
    expect(await serving.ended).toEqual([143, null]);
    await until(() => [...serving.pids().values()].every((pid) => !isRunning(pid)));
  });
});
