import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DatagramDecoder } from '../datagrams/datagram.ts';
import type { FeedInput, FeedReader, FeedSink } from '../feed/feed-input.ts';
import { NONE_SKIPPED } from '../lines/skipped-lines.ts';
import { type DatagramBlock, datagramsOf } from './datagram-block.ts';
import { Exporters } from './exporters.ts';
import type { Receiver } from './receiver.ts';

export type CollectOptions = {
  readonly receiver: Receiver;
  readonly decoder: DatagramDecoder;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly stop: AbortSignal;
  /** Called when datagrams are read. */
  readonly onReady: () => void;
};

/** Returns the datagrams that a receiver takes as an input of a feed. */
export const collectInput = (options: CollectOptions): FeedInput => ({
  name: 'collect',
  unit: 'datagram',
  open: (sink) => readDatagrams(options, sink),
});

/** Decodes datagrams into flows until the receiver stops. */
function readDatagrams(options: CollectOptions, sink: FeedSink): FeedReader {
  const { receiver, decoder, nowMs, monotonicMs, stop } = options;
  const exporters = new Exporters(decoder.waitingOf);
  const skipped = { ...NONE_SKIPPED };
  let datagrams = 0;
  let flows = 0;
  let failure: unknown = null;

  function takeBlock(block: DatagramBlock): void {
    const wallMs = nowMs();
    const now = monotonicMs();
    for (const datagram of datagramsOf(block)) {
      datagrams += 1;
      const decoded = decoder.decode(datagram);
      exporters.note(datagram, decoded, now);
      skipped.events += decoded.skipped.events;
      skipped.notIp += decoded.skipped.notIp;
      flows += decoded.flows.length;
      for (const flow of decoded.flows) {
        sink.late.note(flow, wallMs);
        sink.pending.add(flow, now);
      }
    }
  }

  /** Datagrams whose template has not come are refused after a while. */
  function expire(untilMs: number): void {
    for (const { address, datagrams: count } of decoder.expire(untilMs)) {
      exporters.refuse(address, 'noTemplate', count);
    }
  }

  async function read(): Promise<void> {
    try {
      for (let block = await receiver.next(); block !== null; block = await receiver.next()) {
        takeBlock(block);
        receiver.release(block);
        await sink.room();
        // Commits and signals get their turn between two blocks.
        await yieldToEventLoop();
      }
    } catch (error) {
      failure = error;
    } finally {
      stop.removeEventListener('abort', receiver.stop);
      receiver.stop();
    }
  }

  if (stop.aborted) receiver.stop();
  stop.addEventListener('abort', receiver.stop);
  options.onReady();
  return {
    done: read(),
    stop: receiver.stop,
    losses: {
      settle(now) {
        expire(nowMs());
        return exporters.settle(now);
      },
      end() {
        // No template comes any more.
        expire(Number.POSITIVE_INFINITY);
        return exporters.end();
      },
      total: () => exporters.total(),
      exporters: () => exporters.exporters(),
    },
    exporters: () => exporters.rows(),
    tally: () => ({ lines: datagrams, flows, skipped, badLines: exporters.refused }),
    throwIfFailed() {
      if (failure !== null) throw failure;
    },
    throwIfUncounted() {},
  };
}
