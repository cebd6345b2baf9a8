import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Supervisor } from '../../../server/processes/supervisor.ts';

/** A supervisor whose process is never told to serve. */
const supervisorOfOne = (assign: (pid: number) => void) =>
  new Supervisor({
    size: 1,
    port: 0,
    log: pino({ enabled: false }),
    logOutput: process.stderr,
    checkMs: 20,
    assign: ({ pid }) => assign(pid),
    onMessage: () => undefined,
    onGone: () => undefined,
    onServingChanged: () => undefined,
  });

it('a process that hangs before it serves is killed', async () => {
  const supervisor = supervisorOfOne((pid) => process.kill(pid, 'SIGSTOP'));
  const complete = supervisor.complete(new AbortController().signal);
  await expect(complete).rejects.toThrow('the process was ended by SIGKILL');
});
