import cluster, { type Worker } from 'node:cluster';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { Member } from '../../../server/processes/member.ts';

afterEach(() => vi.restoreAllMocks());

/** What Node returns when no file descriptor is left for the pipes of a process. */
function neverCreated(): Worker {
  const process = Object.assign(new EventEmitter(), { pid: undefined, stdout: undefined });
  return Object.assign(new EventEmitter(), { process }) as unknown as Worker;
}

it('a process that could not be created is reported, and ends nothing else', async () => {
  const worker = neverCreated();
  vi.spyOn(cluster, 'setupPrimary').mockReturnValue();
  vi.spyOn(cluster, 'fork').mockReturnValue(worker);
  const onExit = vi.fn();
  const member = new Member({ onMessage: () => undefined, onExit, logOutput: new PassThrough() });
  worker.emit('error', new Error('spawn node EMFILE'));
  await member.exited;
  expect(onExit).toHaveBeenCalledExactlyOnceWith(member, 'spawn node EMFILE');
});
