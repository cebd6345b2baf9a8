import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FeedOptions,
  type FeedReport,
  type FeedStatus,
  runFeed,
} from '../../../ingest/feed/feed.ts';
import { type LineInputOptions, lineInput } from '../../../ingest/feed/feed-reader.ts';
import type { ImportSource } from '../../../ingest/files/import-source.ts';

/** The start of a minute, well in the past. */
export const MINUTE = 1_700_000_040;

export type FlowParts = {
  readonly at?: number;
  readonly seconds?: number;
  readonly bytes?: number;
  readonly from?: string;
  readonly port?: number;
  /** Additional fields of the line. */
  readonly more?: Readonly<Record<string, unknown>>;
};

/** A goflow2 line: by default 100 bytes at MINUTE, of no duration; `at` is in seconds after it. */
export function flowLine({
  at = 0,
  seconds = 0,
  bytes = 100,
  from = '10.0.0.1',
  port = 443,
  more = {},
}: FlowParts = {}): string {
  const start = (MINUTE + at) * 1000;
  return `${JSON.stringify({
    time_flow_start_ms: start,
    time_flow_end_ms: start + seconds * 1000,
    bytes,
    packets: 1,
    src_addr: from,
    dst_addr: '198.51.100.7',
    proto: 'TCP',
    dst_port: port,
    ...more,
  })}\n`;
}

export type RunningFeed = {
  readonly write: (...lines: readonly string[]) => void;
  /** Ends the source. */
  readonly end: () => void;
  /** Stops the feed, as SIGTERM does. */
  readonly stop: () => void;
  readonly done: Promise<FeedReport>;
  readonly status: () => FeedStatus;
  readonly badLines: readonly string[];
  /** Resolves once the status satisfies `what`; fails if the feed ends before that. */
  until(what: (status: FeedStatus) => boolean): Promise<void>;
};

/** Keeps the intervals that a test waits for short. */
const QUICK = { commitEveryMs: 0, tickMs: 2, firstRetryMs: 5 };

/** Starts a feed of goflow2 lines, which the test writes, into the context `lab`. */
export function startFeed({
  databaseUrl,
  limits = {},
  ...options
}: Partial<Omit<FeedOptions, 'input'> & LineInputOptions> & {
  databaseUrl: string;
}): RunningFeed {
  const input = new PassThrough();
  const stopping = new AbortController();
  const badLines: string[] = [];
  let last: FeedStatus | null = null;
  let isOver = false;
  const given = {
    format: 'goflow2',
    timeZone: 'UTC',
    servicePort: 'registered',
    skipBadLines: false,
    allowEmpty: false,
    source: sourceOf(input),
    nowMs: () => Date.now(),
    monotonicMs: () => performance.now(),
    stop: stopping.signal,
    onBadLine: (line: number, reason: string) => badLines.push(`${line}: ${reason}`),
    onNote: () => {},
    ...options,
  } as const;
  const done = runFeed({
    context: 'lab',
    reportsAtOnce: false,
    leavesOutArchived: given.skipBadLines,
    engine: 0,
    home: [],
    probe: null,
    geo: null,
    databaseUrl,
    beside: false,
    onBeside: () => {},
    latenessSeconds: 30,
    reopen: async () => databaseUrl,
    onStatus: (status) => {
      last = status;
    },
    onLost: () => {},
    onLeftOut: (flows, reason) => badLines.push(`${flows} flows ${reason}`),
    ...given,
    input: lineInput(given),
    limits: { ...QUICK, ...limits },
  }).finally(() => {
    isOver = true;
  });
  // A failure reaches the code that awaits `done`; until then it must not count as unhandled.
  done.catch(() => {});
  const status = (): FeedStatus => {
    if (last === null) throw new Error('the feed has said nothing yet');
    return last;
  };
  return {
    done,
    status,
    badLines,
    write: (...lines) => input.write(lines.join('')),
    end: () => input.end(),
    stop: () => stopping.abort(),
    async until(what) {
      while (last === null || !what(last)) {
        if (isOver) throw new Error(`the feed ended before: ${JSON.stringify(last)}`);
        await delay(1);
      }
    },
  };
}

const sourceOf = (input: PassThrough): ImportSource => ({
  name: 'the feed',
  sizeBytes: null,
  isRepeatable: false,
  open: () => input,
});
