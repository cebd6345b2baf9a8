import { clearLine, cursorTo } from 'node:readline';
import { LIMITS } from '../../domain/limits.ts';
import { isoTime } from '../../domain/time/iso-time.ts';
import type { FeedStatus } from '../../ingest/feed/feed.ts';
import type { FeedTime } from '../../ingest/feed/feed-clock.ts';
import { type ReadUnit, skippedText } from '../../ingest/lines/skipped-lines.ts';
import type { Logger } from '../../server/telemetry/log.ts';
import { asTyped } from '../invocation.ts';
import { count, counted } from './counted.ts';
import { lostText } from './lost-text.ts';

export type FeedDisplay = {
  readonly update: (status: FeedStatus) => void;
  /** Writes a separate line, in addition to the status. */
  readonly say: (line: string) => void;
  readonly stop: () => void;
};

/**
 * Shows the state of a feed on standard error. On a terminal, one line is rewritten in place.
 * Elsewhere a line is logged at intervals, and whenever the trouble changes.
 */
export function showFeed(
  now: () => FeedTime,
  log: () => Pick<Logger, 'info' | 'warn'>,
): FeedDisplay {
  return process.stderr.isTTY ? onTerminal(now) : inLog(now, log());
}

function onTerminal(now: () => FeedTime): FeedDisplay {
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
      process.stderr.write(feedLine(status, now()).slice(0, (process.stderr.columns || 80) - 1));
      isShown = true;
    },
    say(line) {
      clear();
      console.error(asTyped(line));
    },
    stop: clear,
  };
}

function inLog(now: () => FeedTime, log: Pick<Logger, 'info' | 'warn'>): FeedDisplay {
  let saidMs = Number.NEGATIVE_INFINITY;
  let said = '';
  let trouble: string | null = null;
  return {
    update(status) {
      const time = now();
      const isNews = status.trouble !== trouble;
      if (!isNews && time.monotonicMs - saidMs < LIMITS.feedStatusMs) return;
      const line = feedLine(status, time);
      // A stalled feed has nothing new to report but its age.
      const content = JSON.stringify(status);
      if (!isNews && content === said) return;
      saidMs = time.monotonicMs;
      said = content;
      trouble = status.trouble;
      log[trouble === null ? 'info' : 'warn'](factsOf(status), asTyped(line));
    },
    say: (line) => log.info(asTyped(line)),
    stop: () => {},
  };
}

/** Returns what the log says of a feed besides its line, with times in seconds since the epoch. */
const factsOf = ({ uncommittedSinceMs: _, ...facts }: FeedStatus): object => facts;

/**
 * Formats the status as one line. What matters most comes first, because a terminal may be narrow.
 */
export function feedLine(status: FeedStatus, now: FeedTime): string {
  const { context, unit, flows, badLines, leftOutFlows, newestAt, committedTo } = status;
  const { uncommitted, trouble, late } = status;
  const lost = lostText(status.lost);
  const skipped = skippedText(status.skipped, unit);
  const behind = newestAt === null ? '' : `, ${behindText(now.wallMs / 1000 - newestAt)}`;
  const since = status.uncommittedSinceMs;
  const waiting = since === null ? '' : `, for ${duration((now.monotonicMs - since) / 1000)}`;
  const parts = [
    `${context}: ${counted(flows, 'flow')}${behind}`,
    `${count(uncommitted)} not committed${waiting}`,
    ...(trouble === null ? [] : [trouble]),
    ...(skipped === null ? [] : [skipped]),
    ...(badLines > 0 ? [refusedPart(badLines, unit)] : []),
    ...(leftOutFlows > 0 ? [`${counted(leftOutFlows, 'flow')} of archived slices`] : []),
    ...(late ? [`${counted(late.flows, 'flow')} late, by up to ${duration(late.bySeconds)}`] : []),
    ...(lost === null ? [] : [`lost: ${lost}`]),
    committedTo === null
      ? 'nothing committed yet'
      : `committed up to ${isoTime(Math.floor(committedTo))}`,
  ];
  return parts.join('; ');
}

const refusedPart = (refused: number, unit: ReadUnit): string =>
  unit === 'line' ? counted(refused, 'bad line') : `${count(refused)} refused`;

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** Formats the age of the newest flow. */
const behindText = (seconds: number): string =>
  seconds < 0 ? `${duration(-seconds)} ahead of the clock` : `${duration(seconds)} behind`;

/**
 * Formats a duration in one unit, the largest that fits at least twice. That is precise enough:
 * after days, seconds do not matter.
 */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [unit, size] = UNITS.find(([, each]) => whole >= 2 * each) ?? (['s', 1] as const);
  return `${Math.floor(whole / size)} ${unit}`;
}
