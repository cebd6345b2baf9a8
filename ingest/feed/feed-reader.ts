import type { Readable } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import { refuseForeign } from '../files/foreign-content.ts';
import type { ImportSource } from '../files/import-source.ts';
import { readContent } from '../files/read-content.ts';
import type { PortRule } from '../flows/flow.ts';
import { checkFlow } from '../flows/flow-writer.ts';
import type { FlowFormat } from '../formats/flow-formats.ts';
import { createFlowLines } from '../formats/flow-lines.ts';
import { IngestError } from '../ingest-error.ts';
import { BadLine } from '../lines/bad-line.ts';
import type { BadLineCollector } from '../lines/bad-lines.ts';
import { readLines } from '../lines/read-lines.ts';
import type { SkippedLines } from '../lines/skipped-lines.ts';
import type { FeedLosses } from '../losses/feed-losses.ts';
import { timeBounds } from '../time-bounds.ts';
import type { MonotonicMs } from './feed-clock.ts';
import type { LateFlowCounter } from './late-flows.ts';
import type { PendingFlows } from './pending-flows.ts';

type FeedReaderOptions = {
  readonly source: ImportSource;
  readonly format: FlowFormat;
  readonly timeZone: string;
  /** Which port one-way flows are counted under. */
  readonly servicePort: PortRule;
  readonly skipBadLines: boolean;
  readonly nowMs: () => number;
  readonly monotonicMs: () => MonotonicMs;
  readonly stop: AbortSignal;
  readonly onBadLine: (line: number, reason: string) => void;
  /** Called with what a user should know about the input. */
  readonly onNote: (note: string) => void;
  readonly pending: PendingFlows;
  readonly losses: FeedLosses;
  readonly late: LateFlowCounter;
  /** Returns what to wait for before more is read, or null. */
  readonly room: () => Promise<void> | null;
};

type FeedReader = {
  /** Resolved when reading is over, for whatever reason. */
  readonly done: Promise<void>;
  readonly stop: () => void;
  readonly throwIfFailed: () => void;
  readonly tally: () => { lines: number; flows: number; skipped: SkippedLines; badLines: number };
};

/** Reads a source's flows into `pending` until it ends, it is told to stop, or a line is bad. */
export function readFeed(options: FeedReaderOptions): FeedReader {
  const { source, stop } = options;
  const badLines = collectAsTheyCome(options);
  const flowLines = flowLinesOf(options, () => {
    flows += 1;
  });
  let input: Readable | null = null;
  let isStopped = false;
  let failure: unknown = null;
  let lines = 0;
  let flows = 0;

  /** Stops reading, and ends a wait for the next block. */
  function stopReading(): void {
    isStopped = true;
    input?.destroy();
  }

  const opened: ImportSource = {
    ...source,
    open() {
      input = source.open();
      if (isStopped) input.destroy();
      return input;
    },
  };

  /**
   * Yields blocks until told to stop, and then throws instead of ending: otherwise an incomplete
   * last line would be taken for a whole one.
   */
  async function* untilStopped(): AsyncGenerator<Buffer> {
    for await (const block of refuseForeign(options, readContent(opened))) {
      yield block;
      if (isStopped) break;
    }
    if (isStopped) throw new Error('told to stop');
  }

  async function read(): Promise<void> {
    try {
      await readLines({
        content: untilStopped(),
        badLines,
        take: flowLines.take,
        onBlock: (count) => {
          lines = count;
        },
      });
    } catch (error) {
      // Destroying the source makes the read fail in one way or another.
      if (!isStopped || isOfBadLine(error)) failure = error;
    } finally {
      // A flow that waits for the line after it; there is no need to wait for room.
      void flowLines.end();
      stop.removeEventListener('abort', stopReading);
      input?.destroy();
    }
  }

  if (stop.aborted) stopReading();
  stop.addEventListener('abort', stopReading);
  return {
    done: read(),
    stop: stopReading,
    throwIfFailed() {
      if (failure !== null) throw failure;
    },
    tally: () => ({
      lines,
      flows,
      skipped: flowLines.skipped(),
      badLines: badLines.result().count,
    }),
  };
}

const isOfBadLine = (error: unknown): boolean =>
  error instanceof IngestError && error.cause instanceof BadLine;

function flowLinesOf(options: FeedReaderOptions, onFlow: () => void) {
  const {
    format,
    servicePort: portRule,
    losses,
    late,
    pending,
    room,
    nowMs,
    monotonicMs,
  } = options;
  const isOfOutputs = format === 'nfdump' && portRule === 'registered';
  return createFlowLines(
    { ...options, portRule, onNumber: losses.note },
    {
      check: (flow) => checkFlow(flow, timeBounds(Math.floor(nowMs() / 1000))),
      take(flow) {
        late.note(flow, nowMs());
        if (isOfOutputs) pending.addOfOutput(flow, monotonicMs());
        else pending.add(flow, monotonicMs());
        onFlow();
        return room();
      },
      noteOther() {
        // In nfdump's output, that is a header, or the summary after the last flow.
        if (isOfOutputs) pending.endOutput();
      },
    },
  );
}

/** Reports bad lines as they come, because the feed may never end. */
function collectAsTheyCome({
  source,
  skipBadLines,
  onBadLine,
}: FeedReaderOptions): BadLineCollector {
  let count = 0;
  return {
    reject(line: number, error: BadLine) {
      if (!skipBadLines) {
        throw new IngestError(
          `${source.name}, line ${line}: ${error.message}: everything before it is committed; ` +
            '--skip-bad-lines skips such lines',
          { cause: error },
        );
      }
      count += 1;
      if (count <= LIMITS.importNamedBadLines) onBadLine(line, error.message);
    },
    result: () => ({ count, named: [] }),
  };
}
