import {
  type AlertEvent,
  NOTHING_FIRES,
  type RuleState,
} from '../../domain/alerts/decide-windows.ts';
import { windowsWithin } from '../../domain/alerts/windows.ts';
import type { Interval } from '../../domain/time/interval.ts';
import type { NodeLoaders } from '../loaders/node-loaders.ts';
import type { Deadline } from '../loaders/request-reads.ts';
import { type Ends, type EvaluatedBatch, evaluateBatch } from './evaluate-batch.ts';
import { openRuleReads, type WatchedRule } from './rule-reads.ts';

export type AlertTest = {
  /** Reads a batch of windows. */
  readonly inSnapshot: <T>(work: (loaders: NodeLoaders) => Promise<T>) => Promise<T>;
  readonly alert: WatchedRule;
  /** Windows are tested if they end after `from` and no later than `to`. */
  readonly within: Interval;
  readonly signal: AbortSignal;
  /** The time limit of what is read. */
  readonly deadline: Deadline | null;
  /** Called with each event that ends, and finally with the events that have not ended. */
  readonly onEvent: (event: AlertEvent) => void;
  /** Called as windows are decided, with their number so far and their total number. */
  readonly onProgress: (decided: number, of: number) => void;
};

export type AlertTestReport = {
  readonly windows: number;
  readonly events: number;
  /** null: no window ends within the data. */
  readonly ends: Ends | null;
  /** The extent of the data that the rule is about; null: there are none. */
  readonly data: Interval | null;
};

/**
 * Tests a rule on stored data: finds the events that a server would have decided if the rule had
 * been applied when data reached `within.from` and no data had arrived late. Nothing is written.
 * Windows before the first data and beyond the last are skipped: a server would
 * not have decided them. Not for `silent_seconds`, which has no windows.
 */
export async function tryRule(test: AlertTest): Promise<AlertTestReport> {
  const { within, signal, onEvent, onProgress } = test;
  let state: RuleState = NOTHING_FIRES;
  let { from } = within;
  let report: AlertTestReport = { windows: 0, events: 0, ends: null, data: null };
  for (;;) {
    signal.throwIfAborted();
    const { batch, windowsLeft, data } = await nextBatch(test, { from, to: within.to }, state);
    const over = batch ? batch.changed.filter(({ endedAt }) => endedAt !== null) : [];
    const told = batch ? over : [...state.firing.values()];
    for (const event of told) onEvent(event);
    report = { ...report, events: report.events + told.length, data };
    if (!batch) return report;
    state = batch.state;
    from = batch.evaluatedTo;
    const windows = report.windows + batch.windows;
    const first = report.ends?.first ?? batch.first;
    report = { ...report, windows, ends: { first, last: from } };
    onProgress(windows, windows + windowsLeft);
  }
}

type NextBatch = {
  /** null: all windows are decided. */
  readonly batch: (EvaluatedBatch & Pick<Ends, 'first'>) | null;
  readonly windowsLeft: number;
  readonly data: Interval | null;
};

const nextBatch = (
  { inSnapshot, alert, deadline }: AlertTest,
  within: Interval,
  state: RuleState,
): Promise<NextBatch> =>
  inSnapshot(async (loaders) => {
    const reads = await openRuleReads(loaders, alert, deadline);
    const { gridSeconds, spans } = reads;
    const data = extentOf(spans);
    const ends = windowsWithin(within, gridSeconds, spans);
    if (!ends) return { batch: null, windowsLeft: 0, data };
    const batch = await evaluateBatch(reads, state, ends);
    const windowsLeft = (ends.last - batch.evaluatedTo) / gridSeconds;
    return { batch: { ...batch, first: ends.first }, windowsLeft, data };
  });

const extentOf = (spans: readonly Interval[]): Interval | null =>
  spans.length === 0
    ? null
    : {
        from: Math.min(...spans.map(({ from }) => from)),
        to: Math.max(...spans.map(({ to }) => to)),
      };
