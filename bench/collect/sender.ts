import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createFlowTraffic } from '../traffic/flow-traffic.ts';
import { type BenchProtocol, makeDatagrams } from './datagrams.ts';

/** What the sender is told: all of it as parameters of its process. */
export type SenderTarget = {
  readonly port: number;
  readonly protocol: BenchProtocol;
  /** Flows a second. */
  readonly rate: number;
  readonly seconds: number;
};

/** What the sender says when it is done. */
export type SenderReport = {
  readonly flows: number;
  readonly datagrams: number;
  readonly seconds: number;
};

/** Flows that are made before; they are sent again and again. */
const FLOWS = 100_000;

const PAUSE_MS = 2;

const target: SenderTarget = JSON.parse(process.argv[2] ?? '');
const traffic = createFlowTraffic({ flowsPerMinute: FLOWS, keys: 200_000, seed: 1 });
const { made, flowsEach, stamp, template } = makeDatagrams(target.protocol, traffic(1));
const socket = createSocket('udp4');
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
const send = (bytes: Buffer): void => socket.send(bytes, target.port, '127.0.0.1');
const started = performance.now();
const elapsedMs = (): number => performance.now() - started;
let sequence = 0;
let sent = 0;
if (template !== null) {
  send(template(Date.now()));
  if (target.protocol === 'netflow9') sequence += 1;
}
while (elapsedMs() < target.seconds * 1000) {
  const due = Math.floor(((elapsedMs() / 1000) * target.rate) / flowsEach);
  for (; sent < due; sent += 1) {
    const datagram = made[sent % made.length];
    if (datagram === undefined) throw new Error('there is no traffic');
    sequence += stamp(datagram, sequence, Date.now());
    send(datagram);
  }
  await delay(PAUSE_MS);
}
const report: SenderReport = {
  flows: sent * flowsEach,
  datagrams: sent,
  seconds: elapsedMs() / 1000,
};
process.send?.(report, () => socket.close(() => process.exit(0)));
