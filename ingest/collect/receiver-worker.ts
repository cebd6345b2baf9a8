import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ListenAddress } from '../../domain/collect-target.ts';
import { compileNetworks } from '../../domain/filters/network-filter.ts';
import { hasCode } from '../../domain/has-code.ts';
import { parseReadableKey } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import { boundedCache } from '../bounded-cache.ts';
import { BlockFiller, type DatagramBlock } from './datagram-block.ts';

/** The input of the thread. */
export type ReceiverTarget = {
  readonly listen: readonly ListenAddress[];
  /** Networks of the exporters that are heard, in CIDR form; empty: all are. */
  readonly from: readonly string[];
};

/** A socket that is open. */
export type OpenSocket = {
  readonly address: string;
  readonly port: number;
  /** Bytes of datagrams that the system keeps for it. */
  readonly receiveBytes: number;
};

/** What the thread says. */
export type ReceiverMessage =
  | { readonly kind: 'listening'; readonly sockets: readonly OpenSocket[] }
  | { readonly kind: 'failed'; readonly where: ListenAddress; readonly reason: string }
  | { readonly kind: 'block'; readonly block: DatagramBlock; readonly counts: ReceiverCounts }
  | { readonly kind: 'closed'; readonly counts: ReceiverCounts };

/** Datagrams so far that were received and not passed on. */
export type ReceiverCounts = {
  /** Because blocks waited to be decoded. */
  readonly dropped: number;
  /** Of exporters that are not heard. */
  readonly unheard: number;
};

/** What the thread is told: the memory of a block that was read, or to stop. */
export type ReceiverRequest = { readonly memory: ArrayBuffer } | 'stop';

const { listen, from } = workerData as ReceiverTarget;
const port = parentPort;
if (port === null) throw new Error('this is the code of a thread');

const say = (message: ReceiverMessage, moved: ArrayBuffer[] = []): void =>
  port.postMessage(message, moved);

const filler = new BlockFiller();
const counts = { dropped: 0, unheard: 0 };
const sockets: Socket[] = [];
/** Blocks on their way, which the other thread has not read. */
let waiting = 0;
let timer: NodeJS.Timeout | null = null;
/** Datagrams that were read from sockets. */
let read = 0;
let isEnding = false;

const isHeard = heardFrom(from);

/** IPv4 addresses arrive as `::ffff:192.0.2.1` at a socket that takes both families. */
const plainAddress = boundedCache(LIMITS.collectExporters, (address: string) =>
  address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, ''),
);

function heardFrom(networks: readonly string[]): (address: string) => boolean {
  if (networks.length === 0) return () => true;
  const isInside = compileNetworks(networks, ['ip'], '--from');
  return boundedCache(LIMITS.collectExporters, (address: string) => {
    const key = parseReadableKey('ip', address);
    return key !== null && isInside([key]);
  });
}

function pass(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  const block = filler.take();
  if (block === null) return;
  waiting += 1;
  say({ kind: 'block', block, counts: { ...counts } }, [block.memory]);
}

/** Passes a block that is not full, unless others wait: there is no hurry then. */
function passSoon(): void {
  if (timer !== null || filler.isEmpty || waiting > 1) return;
  timer = setTimeout(pass, LIMITS.collectBlockMs);
}

function take(bytes: Buffer, source: { readonly address: string; readonly port: number }): void {
  read += 1;
  const address = plainAddress(source.address);
  if (!isHeard(address)) {
    counts.unheard += 1;
    return;
  }
  if (!filler.hasRoomFor(bytes)) {
    if (waiting >= LIMITS.collectBlocks) {
      counts.dropped += 1;
      return;
    }
    pass();
  }
  filler.add({ bytes, address, port: source.port, receivedMs: Date.now() });
  passSoon();
}

async function open(where: ListenAddress): Promise<OpenSocket> {
  const socket = createSocket({
    type: isIPv6(where.address) ? 'udp6' : 'udp4',
    recvBufferSize: LIMITS.collectReceiveBytes,
  });
  socket.bind(where.port, where.address);
  await once(socket, 'listening');
  socket.on('message', take);
  // Such as an ICMP answer, which is nothing to a receiver.
  socket.on('error', () => {});
  sockets.push(socket);
  const { address, port: bound } = socket.address();
  return { address, port: bound, receiveBytes: socket.getRecvBufferSize() };
}

/** Opens a socket; a machine without IPv6 takes all its IPv4 addresses for all addresses. */
async function openAny(where: ListenAddress): Promise<OpenSocket> {
  try {
    return await open(where);
  } catch (error) {
    if (where.address !== '::' || !hasCode(error, 'EAFNOSUPPORT', 'EADDRNOTAVAIL')) throw error;
    return open({ ...where, address: '0.0.0.0' });
  }
}

async function openAll(): Promise<void> {
  const opened: OpenSocket[] = [];
  for (const where of listen) {
    try {
      opened.push(await openAny(where));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      say({ kind: 'failed', where, reason });
      close();
      return;
    }
  }
  say({ kind: 'listening', sockets: opened });
}

/**
 * Reads what the system has received until now, and closes. A turn of the event loop without a
 * datagram is the end of that; exporters that go on sending cannot put it off for long.
 */
async function end(): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  const last = performance.now() + LIMITS.collectDrainMs;
  let before = -1;
  while (read !== before && performance.now() < last) {
    before = read;
    // The turn that has begun may have asked the sockets already.
    await yieldToEventLoop();
    await yieldToEventLoop();
  }
  close();
}

function close(): void {
  for (const socket of sockets) socket.close();
  pass();
  say({ kind: 'closed', counts: { ...counts } });
  port?.close();
}

port.on('message', (request: ReceiverRequest) => {
  if (request === 'stop') {
    void end();
    return;
  }
  waiting -= 1;
  filler.giveBack(request.memory);
  passSoon();
});

await openAll();
