import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { requireOwnFiles } from '../telemetry/program-version.ts';
import type { FromChild, ToChild } from './messages.ts';

/**
 * loading: it loads the program. spare: it waits for a number. starting: it has a number but does
 * not serve yet. leaving: it finishes its requests in progress; its number was given away.
 */
type MemberState = 'loading' | 'spare' | 'starting' | 'serving' | 'leaving';

type MemberEvents = {
  readonly onMessage: (member: Member, message: FromChild) => void;
  /** reason: why it ended, in words. */
  readonly onExit: (member: Member, reason: string) => void;
};

type MemberOptions = MemberEvents & {
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

const NEWLINE = '\n'.charCodeAt(0);

/**
 * Writes the output of a process to ours until it ends. Only whole lines are written, so lines of
 * several processes are never mixed. While the reader of our output is behind, the process must
 * keep its lines; once the process has ended (`ended` resolves), what it left is written at once.
 */
export async function relayLines(
  from: Readable,
  to: Writable,
  ended: Promise<void>,
): Promise<void> {
  let begun: Buffer[] = [];
  let hasEnded = false;
  let goOn: () => void = () => undefined;
  // Once for all waits: what waits for `ended` is kept in memory as long as the process lives.
  void ended.then(() => {
    hasEnded = true;
    goOn();
  });
  for await (const chunk of from) {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      begun.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...begun, chunk.subarray(0, end)]);
    begun = end < chunk.length ? [chunk.subarray(end)] : [];
    if (to.write(lines) || !to.writable || hasEnded) continue;
    await new Promise<void>((resolve) => {
      goOn = resolve;
      void drained(to).then(resolve);
    });
  }
  if (begun.length > 0) to.write(Buffer.concat([...begun, Buffer.of(NEWLINE)]));
}

const drains = new WeakMap<Writable, Promise<void>>();

/** Resolves when more can be written, or nobody reads any longer. */
function drained(to: Writable): Promise<void> {
  const waiting = drains.get(to) ?? drainOf(to).finally(() => drains.delete(to));
  drains.set(to, waiting);
  return waiting;
}

async function drainOf(to: Writable): Promise<void> {
  try {
    await once(to, 'drain');
  } catch {
    // Nobody reads our output. There is nowhere to report that; the process must not wait.
  }
}
