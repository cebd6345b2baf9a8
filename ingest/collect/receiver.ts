import { Worker } from 'node:worker_threads';
import { listenText } from '../../domain/collect-target.ts';
import { LIMITS } from '../../domain/limits.ts';
import { IngestError } from '../ingest-error.ts';
import type { DatagramBlock } from './datagram-block.ts';
import type {
  OpenSocket,
  ReceiverCounts,
  ReceiverMessage,
  ReceiverRequest,
  ReceiverTarget,
} from './receiver-worker.ts';

/**
 * Sockets in a thread of their own. While a commit packs segments, this thread is busy for up to
 * half a second, and the system keeps datagrams of a tenth of that where it has its usual limits.
 */
export type Receiver = {
  readonly sockets: readonly OpenSocket[];
  /** Returns the next block; null: no more will come. Release it before asking for the next. */
  readonly next: () => Promise<DatagramBlock | null>;
  readonly release: (block: DatagramBlock) => void;
  readonly counts: () => ReceiverCounts;
  /** Closes the sockets. What has arrived can still be read. */
  readonly stop: () => void;
};

/** Threads run the compiled program, even if these sources run uncompiled (in tests). */
const WORKER_FILE = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/bundle/receiver-worker.js', import.meta.url)
  : new URL('./receiver-worker.js', import.meta.url);

/** Opens the sockets. Throws an `IngestError` that says which could not be opened, and why. */
export async function openReceiver(target: ReceiverTarget): Promise<Receiver> {
  const worker = new Worker(WORKER_FILE, { workerData: target });
  const request = (message: ReceiverRequest, moved: ArrayBuffer[] = []): void =>
    worker.postMessage(message, moved);
  const blocks: DatagramBlock[] = [];
  let counts: ReceiverCounts = { dropped: 0, unheard: 0 };
  let isClosed = false;
  let isStopped = false;
  let failure: unknown = null;
  let ring: () => void = () => {};
  const sockets = await new Promise<readonly OpenSocket[]>((resolve, reject) => {
    worker.on('message', (message: ReceiverMessage) => {
      if (message.kind === 'listening') resolve(message.sockets);
      else if (message.kind === 'failed') reject(notOpened(message));
      else if (message.kind === 'block') blocks.push(message.block);
      else isClosed = true;
      if ('counts' in message) ({ counts } = message);
      ring();
    });
    worker.on('error', (error) => {
      failure = error;
      reject(error);
      ring();
    });
    worker.on('exit', () => {
      isClosed = true;
      ring();
    });
  });
  return {
    sockets,
    counts: () => counts,
    stop() {
      if (!isStopped) request('stop');
      isStopped = true;
    },
    release: ({ memory }) => request({ memory }, [memory]),
    async next() {
      while (blocks.length === 0) {
        if (failure !== null) throw failure;
        if (isClosed) return null;
        await new Promise<void>((resolve) => {
          ring = resolve;
        });
      }
      return blocks.shift() ?? null;
    },
  };
}

function notOpened({ where, reason }: Extract<ReceiverMessage, { kind: 'failed' }>): IngestError {
  const text = listenText(where);
  const remedy = reason.includes('EADDRINUSE')
    ? 'another program receives there: stop it, or give another port'
    : 'give an address of this machine, and a port that is free to you';
  return new IngestError(`cannot receive at udp ${text} (${reason}): ${remedy}`);
}

/** Returns a warning about a socket for which the system keeps less than asked for; null: none. */
export function bufferWarning({ address, port, receiveBytes }: OpenSocket): string | null {
  // Linux says twice what it was asked for, because it counts its own overhead.
  if (receiveBytes >= LIMITS.collectReceiveBytes) return null;
  const kilobytes = Math.round(receiveBytes / 1024).toLocaleString('en');
  return (
    `udp ${listenText({ address, port })}: the system keeps only ${kilobytes} KB of datagrams: ` +
    `what comes in bursts may be lost: sysctl -w net.core.rmem_max=${LIMITS.collectReceiveBytes}`
  );
}
