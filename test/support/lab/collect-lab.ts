import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { collectInput } from '../../../ingest/collect/collect-input.ts';
import { openReceiver, type Receiver } from '../../../ingest/collect/receiver.ts';
import { createDatagramDecoder } from '../../../ingest/decode-datagram.ts';
import {
  type FeedOptions,
  type FeedReport,
  type FeedStatus,
  runFeed,
} from '../../../ingest/feed/feed.ts';

/** A program that sends datagrams from one port of the loopback, as an exporter does. */
export type TestExporter = {
  readonly send: (...datagrams: readonly Buffer[]) => Promise<void>;
  readonly close: () => void;
};

export async function startExporter(port: number): Promise<TestExporter> {
  const socket: Socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    async send(...datagrams) {
      for (const datagram of datagrams) {
        await new Promise<void>((resolve, reject) => {
          const sent = (error: Error | null) => (error ? reject(error) : resolve());
          socket.send(datagram, port, '127.0.0.1', sent);
        });
      }
    },
    close: () => socket.close(),
  };
}

export type RunningCollector = {
  readonly port: number;
  readonly receiver: Receiver;
  /** Stops it, as SIGTERM does. */
  readonly stop: () => void;
  readonly done: Promise<FeedReport>;
  /** Resolves once the status satisfies `what`; fails if the collector ends before that. */
  readonly until: (what: (status: FeedStatus) => boolean) => Promise<void>;
  /** What it says of losses. */
  readonly said: readonly string[];
};

/** Keeps the intervals that a test waits for short. */
const QUICK = { commitEveryMs: 0, tickMs: 2, firstRetryMs: 5, lossesEveryMs: 20 };

/** Starts a collector on a free port of the loopback, into the context `lab`. */
export async function startCollecting({
  from = [],
  limits = {},
  ...options
}: Partial<Omit<FeedOptions, 'input'>> & {
  readonly databaseUrl: string;
  readonly from?: readonly string[];
}): Promise<RunningCollector> {
  const receiver = await openReceiver({ listen: [{ address: '127.0.0.1', port: 0 }], from });
  const stopping = new AbortController();
  const clocks = {
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    stop: stopping.signal,
  };
  const said: string[] = [];
  let last: FeedStatus | null = null;
  let isOver = false;
  const done = runFeed({
    ...clocks,
    context: 'lab',
    format: 'collect',
    reportsAtOnce: true,
    leavesOutArchived: true,
    engine: 0,
    home: [],
    probe: null,
    geo: null,
    beside: false,
    onBeside: () => {},
    latenessSeconds: 30,
    reopen: async () => options.databaseUrl,
    onStatus: (status) => {
      last = status;
    },
    onLost: (exporters) => {
      for (const { exporter, lost, unit } of exporters) said.push(`${exporter}: ${lost} ${unit}`);
    },
    onLeftOut: (flows, reason) => said.push(`${flows} flows ${reason}`),
    ...options,
    input: collectInput({
      ...clocks,
      receiver,
      decoder: createDatagramDecoder(),
      onReady: () => {},
    }),
    limits: { ...QUICK, ...limits },
  }).finally(() => {
    isOver = true;
  });
  // A failure reaches the code that awaits `done`; until then it must not count as unhandled.
  done.catch(() => {});
  return {
    port: receiver.sockets[0]?.port ?? 0,
    receiver,
    done,
    said,
    stop: () => stopping.abort(),
    async until(what) {
      while (last === null || !what(last)) {
        if (isOver) throw new Error(`the collector ended before: ${JSON.stringify(last)}`);
        await delay(1);
      }
    },
  };
}
