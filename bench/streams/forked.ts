import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type ProcessUsage, processUsage } from '../systems/process-usage.ts';
import type { FromReaders, ToReaders } from './reader-process.ts';
import type { FromServer, HeldMemory } from './server-process.ts';

export type StreamServer = {
  readonly url: string;
  usage(): Promise<ProcessUsage | null>;
  /** Memory after a full garbage collection. */
  held(): Promise<HeldMemory>;
  stop(): Promise<void>;
};

export async function forkStreamServer(databaseUrl: string): Promise<StreamServer> {
  const child = fork(join(import.meta.dirname, 'server-process.js'), [], {
    env: { ...process.env, DATABASE_URL: databaseUrl, NODE_ENV: 'production' },
    execArgv: [...process.execArgv, '--expose-gc'],
  });
  const ready = await nextMessage<FromServer>(child);
  if (ready.kind !== 'ready') throw new Error('the server did not begin with its address');
  return {
    url: ready.url,
    usage: () => usageOf(child),
    async held() {
      child.send('held');
      const told = await nextMessage<FromServer>(child);
      if (told.kind !== 'held') throw new Error('the server did not tell what it holds');
      return told.held;
    },
    stop: () => stop(child),
  };
}

export type Told = Extract<FromReaders, { kind: 'told' }>;

export type Readers = {
  /** Resolves once each stream has its first message. refused: how often the server was busy. */
  open(asked: Omit<Extract<ToReaders, { kind: 'open' }>, 'kind'>): Promise<{ refused: number }>;
  /** Calls `commit` when the readers are ready, and waits until each stream has its message. */
  round(commit: () => Promise<void>): Promise<Told>;
  answers(): Promise<Extract<FromReaders, { kind: 'answers' }>['answers']>;
  usage(): Promise<ProcessUsage | null>;
  stop(): Promise<void>;
};

export async function forkReaders(): Promise<Readers> {
  const child = fork(join(import.meta.dirname, 'reader-process.js'));
  const hear = async <Kind extends FromReaders['kind']>(kind: Kind) => {
    const message = await nextMessage<FromReaders>(child);
    if (message.kind === kind) return message as Extract<FromReaders, { kind: Kind }>;
    throw new Error(message.kind === 'ended' ? message.what : `unexpected: ${message.kind}`);
  };
  const say = (message: ToReaders) => child.send(message);
  await hear('started');
  return {
    async open(asked) {
      say({ kind: 'open', ...asked });
      return hear('opened');
    },
    async round(commit) {
      say({ kind: 'round' });
      await hear('ready');
      const told = hear('told');
      await Promise.all([commit(), told]);
      return told;
    },
    async answers() {
      say({ kind: 'answers' });
      return (await hear('answers')).answers;
    },
    usage: () => usageOf(child),
    stop: () => stop(child),
  };
}

const usageOf = async ({ pid }: ChildProcess): Promise<ProcessUsage | null> =>
  pid === undefined ? null : processUsage(pid);

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

/** Error: the process ends before it sends a message. */
const nextMessage = <Message>(child: ChildProcess): Promise<Message> =>
  new Promise((resolve, reject) => {
    const ended = (status: number | null): void => {
      reject(new Error(`a process under test ended with status ${status}`));
    };
    child.once('exit', ended);
    child.once('message', (message: Message & object) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
