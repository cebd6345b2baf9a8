import type { Readable } from 'node:stream';
import { LIMITS } from '../../domain/limits.ts';
import { refuseEmpty } from '../files/empty-input.ts';
import { refuseForeign } from '../files/foreign-content.ts';
import type { ImportSource } from '../files/import-source.ts';
import { NothingTaken } from '../files/nothing-taken.ts';
import { readContent } from '../files/read-content.ts';
import type { PortRule } from '../flows/flow.ts';
import { checkFlow } from '../flows/flow-writer.ts';
import type { FlowFormat } from '../formats/flow-formats.ts';
import { createFlowLines } from '../formats/flow-lines.ts';
import { IngestError } from '../ingest-error.ts';
import { BadLine } from '../lines/bad-line.ts';
import type { BadLineCollector } from '../lines/bad-lines.ts';
import { readLines } from '../lines/read-lines.ts';
import { FeedLosses } from '../losses/feed-losses.ts';
import { timeBounds } from '../time-bounds.ts';
import type { MonotonicMs } from './feed-clock.ts';
import type { FeedInput, FeedReader, FeedSink, ReaderTally } from './feed-input.ts';

export type LineInputOptions = {
  readonly source: ImportSource;
  readonly format: FlowFormat;
  readonly timeZone: string;
  /** Which port one-way flows are counted under. */
  readonly servicePort: PortRule;
  readonly skipBadLines: boolean;
  /** Accepts a source from which nothing is counted even where that is likely a mistake. */
  readonly allowEmpty: boolean;
  readonly nowMs: () => number;
  readonly monotonicMs: () => MonotonicMs;
  readonly stop: AbortSignal;
  readonly onBadLine: (line: number, reason: string) => void;
  /** Called with what a user should know about the input. */
  readonly onNote: (note: string) => void;
};

/** Returns the lines of a source as an input of a feed. */
export const lineInput = (options: LineInputOptions): FeedInput => ({
  name: options.source.name,
  unit: 'line',
  open: (sink) => readLinesInto(options, sink),
});

/** Reads a source's flows until it ends, it is told to stop, or a line is bad. */
function readLinesInto(options: LineInputOptions, sink: FeedSink): FeedReader {
  const { source, stop } = options;
  const losses = new FeedLosses();
  const badLines = collectAsTheyCome(options);
  const flowLines = flowLinesOf({ ...options, ...sink, losses }, () => {
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
  const tally = (): ReaderTally => ({
    lines,
    flows,
    skipped: flowLines.skipped(),
    badLines: badLines.result().count,
  });
  return {
    done: read(),
    stop: stopReading,
    tally,
    losses,
    // Lines do not say enough of them.
    exporters: () => [],
    throwIfFailed() {
      if (failure !== null) throw failure;
    },
    throwIfUncounted() {
      // A feed that was told to end may not have had time for a flow.
      if (flows === 0 && !stop.aborted) refuseUncounted(options, tally());
    },
  };
}

function refuseUncounted(
  { source, format, allowEmpty }: LineInputOptions,
  { lines, skipped, badLines: count }: ReaderTally,
): void {
  if (count > 0) {
    const badLines = { count, named: [] };
    throw new NothingTaken({ source: source.name, format, badLines, skipped });
  }
  if (!allowEmpty) refuseEmpty({ source: source.name, format, lines, skipped });
}

const isOfBadLine = (error: unknown): boolean =>
  error instanceof IngestError && error.cause instanceof BadLine;

type FlowLinesOptions = LineInputOptions & FeedSink & { readonly losses: FeedLosses };

function flowLinesOf(options: FlowLinesOptions, onFlow: () => void) {
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
}: LineInputOptions): BadLineCollector {
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
