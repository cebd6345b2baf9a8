import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import type { FromChild, ToChild } from './messages.ts';

/**
 * loading: it loads the program. spare: it waits for a number. starting: it has a number but does
 * not serve yet. leaving: it finishes its requests in progress; its number was given away.
 */
export type MemberState = 'loading' | 'spare' | 'starting' | 'serving' | 'leaving';

export type MemberEvents = {
  readonly onMessage: (member: Member, message: FromChild) => void;
  /** reason: why it ended, in words. */
  readonly onExit: (member: Member, reason: string) => void;
};

/** A serving or future serving process, as the parent sees it. */
export class Member {
  readonly pid: number;
  readonly exited: Promise<void>;
  state: MemberState = 'loading';
  /** From 1; 0: it has none yet. */
  number = 0;
  /** Number of consecutive pings that it has not answered. */
  silentLooks = 0;
  readonly #worker: Worker;

  constructor({ onMessage, onExit }: MemberEvents) {
    cluster.setupPrimary({ exec: CHILD_FILE, args: [] });
    const worker = cluster.fork();
    this.#worker = worker;
    this.pid = worker.process.pid ?? 0;
    let failure: string | null = null;
    worker.on('message', (message: FromChild) => {
      if (message.kind === 'failed') failure = message.reason;
      onMessage(this, message);
    });
    this.exited = new Promise((resolve) => {
      const leave = (reason: string) => {
        resolve();
        onExit(this, reason);
      };
      worker.once('exit', (code, signal) => leave(failure ?? endOf(code, signal)));
      // Either the process was never created, or a message was sent to one that has just died.
      worker.on('error', (error) => worker.process.pid === undefined && leave(error.message));
    });
  }

  send(message: ToChild): void {
    if (this.#worker.isConnected()) this.#worker.send(message);
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL');
  }
}

const endOf = (code: number | null, signal: string | null): string =>
  signal ? `the process was ended by ${signal}` : `the process ended with status ${code}`;

/** Processes run the compiled program, even if these sources run uncompiled (in tests). */
const CHILD_FILE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/bundle/child.js', import.meta.url)
    : new URL('./child.js', import.meta.url),
);
