import { clearLine, cursorTo } from 'node:readline';
import { LIMITS } from '../domain/limits.ts';
import type { FeedStatus } from '../ingest/feed.ts';

export type FeedDisplay = {
  readonly update: (status: FeedStatus) => void;
  /** Writes a line of its own, beside the status. */
  readonly say: (line: string) => void;
  readonly stop: () => void;
};

/**
 * Shows how a feed stands, on standard error: on a terminal one line that is written over and over,
 * elsewhere a line now and then, and whenever its trouble changes.
 */
export function showFeed(nowMs: () => number): FeedDisplay {
  return process.stderr.isTTY ? onTerminal(nowMs) : inLog(nowMs);
}

function onTerminal(nowMs: () => number): FeedDisplay {
  let isShown = false;
  const clear = () => {
    if (!isShown) return;
    cursorTo(process.stderr, 0);
    clearLine(process.stderr, 0);
    isShown = false;
  };
  return {
    update(status) {
      clear();
      process.stderr.write(feedLine(status, nowMs()).slice(0, (process.stderr.columns || 80) - 1));
      isShown = true;
    },
    say(line) {
      clear();
      console.error(line);
    },
    stop: clear,
  };
}

function inLog(nowMs: () => number): FeedDisplay {
  let saidMs = Number.NEGATIVE_INFINITY;
  let said = '';
  let trouble: string | null = null;
  return {
    update(status) {
      const now = nowMs();
      const isNews = status.trouble !== trouble;
      if (!isNews && now - saidMs < LIMITS.feedStatusMs) return;
      const line = feedLine(status, now);
      // A feed that stands still has nothing to say but its age.
      const content = JSON.stringify(status);
      if (!isNews && content === said) return;
      [saidMs, said, trouble] = [now, content, status.trouble];
      console.error(line);
    },
    say: (line) => console.error(line),
    stop: () => {},
  };
}

/** One line for people: what was read, how far behind that is, what is committed, what is not. */
export function feedLine(status: FeedStatus, nowMs: number): string {
  const { context, flows, badLines, newestAt, committedTo, uncommitted, uncommittedSince } = status;
  const behind = newestAt === null ? '' : `, the newest ended ${ago(newestAt, nowMs)}`;
  const committed =
    committedTo === null ? 'nothing committed yet' : `committed up to ${timeText(committedTo)}`;
  const since = uncommittedSince === null ? '' : `, the first read ${ago(uncommittedSince, nowMs)}`;
  const parts = [
    `${context}: ${count(flows)} flows read${behind}`,
    committed,
    `${count(uncommitted)} not committed${since}`,
    ...(badLines > 0 ? [`${count(badLines)} bad lines`] : []),
    ...(status.trouble === null ? [] : [status.trouble]),
  ];
  return parts.join('; ');
}

const count = (value: number): string => value.toLocaleString('en');

const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Of two units the larger one says enough: a feed that is days behind is not seconds behind. */
function ago(seconds: number, nowMs: number): string {
  const passed = Math.round(nowMs / 1000 - seconds);
  if (passed < 0) return `${-passed} s ahead of the clock`;
  const [unit, size] = UNITS.find(([, each]) => passed >= 2 * each) ?? (['s', 1] as const);
  return `${Math.floor(passed / size)} ${unit} ago`;
}
