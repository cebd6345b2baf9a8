import cluster, { type Worker } from 'node:cluster';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { FromChild, ToChild } from './messages.ts';
import { requireOwnFiles } from './program-files.ts';
import { relayLines } from './relay-lines.ts';

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

export type MemberOptions = MemberEvents & {
  /** Where the lines that it logs are written. */
  readonly logOutput: Writable;
};

/** A serving or future serving process, as the parent sees it. */
export class Member {
  readonly pid: number;
  /** Resolves when it has ended and its last lines are written. */
  readonly exited: Promise<void>;
  state: MemberState = 'loading';
  /** From 1; 0: it has none yet. */
  number = 0;
  /** Number of consecutive pings that it has not answered. */
  silentChecks = 0;
  readonly #worker: Worker;

  /** Errors: no process can be created. */
  constructor({ onMessage, onExit, logOutput }: MemberOptions) {
    requireOwnFiles(CHILD_FILE);
    cluster.setupPrimary({ exec: CHILD_FILE, args: [], stdio: OWN_PIPES });
    const worker = cluster.fork();
    this.#worker = worker;
    this.pid = worker.process.pid ?? 0;
    let failure: string | null = null;
    worker.on('message', (message: FromChild) => {
      if (message.kind === 'failed') failure = message.reason;
      onMessage(this, message);
    });
    const ended = new Promise<void>((resolve) => {
      const leave = (reason: string) => {
        resolve();
        onExit(this, reason);
      };
      worker.once('exit', (code, signal) => leave(failure ?? endOf(code, signal)));
      // Either the process was never created, or a message was sent to one that has just died.
      worker.on('error', (error) => worker.process.pid === undefined && leave(error.message));
    });
    // A process that was never created has none, whatever the types say.
    const { stdout = null, stderr = null } = worker.process;
    const outputs = [stdout, stderr].filter((output) => output !== null);
    const relayed = outputs.map((output) => relayLines(output, logOutput, ended));
    this.exited = Promise.all([ended, ...relayed]).then(() => undefined);
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

/**
 * Each process writes to pipes of its own. Those of the parent would be shared by all: lines would
 * be mixed, and starting a process would make them blocking for the others.
 */
const OWN_PIPES = ['ignore', 'pipe', 'pipe', 'ipc'];

/** Processes run the compiled program, even if these sources run uncompiled (in tests). */
const CHILD_FILE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/bundle/child.js', import.meta.url)
    : new URL('./child.js', import.meta.url),
);
