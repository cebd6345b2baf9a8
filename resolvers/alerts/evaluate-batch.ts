import {
  type AlertEvent,
  evaluateAlike,
  evaluateWindow,
  type RuleState,
} from '../../domain/alerts/decide-windows.ts';
import { type WindowRun, windowRuns } from '../../domain/alerts/windows.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { pause } from '../../engine/snapshot/event-loop-scheduler.ts';
import { metWithoutData, readWindows, withKeys } from './read-windows.ts';
import type { RuleReads } from './rule-reads.ts';

/** Consecutive windows, given by the first and the last of their ends. */
export type Ends = { readonly first: EpochSeconds; readonly last: EpochSeconds };

export type EvaluatedBatch = {
  readonly state: RuleState;
  /** Events that began, ended or reached a new peak, in their new state. */
  readonly changed: readonly AlertEvent[];
  /** The end of the last window that was decided. */
  readonly evaluatedTo: EpochSeconds;
  /** Number of windows decided. */
  readonly windows: number;
};

/**
 * Decides windows in order, up to the maximum number of windows read in one batch. Windows without
 * data are not read and do not count towards it.
 */
export async function evaluateBatch(
  reads: RuleReads,
  before: RuleState,
  { first, last }: Ends,
): Promise<EvaluatedBatch> {
  const { rule, gridSeconds, spans } = reads;
  const grid = { gridSeconds, windowSeconds: rule.windowSeconds };
  const changed = new Map<string, AlertEvent>();
  let state = before;
  let evaluatedTo = first - gridSeconds;
  const note = (evaluated: { state: RuleState; changed: readonly AlertEvent[] }): void => {
    state = evaluated.state;
    for (const event of evaluated.changed) {
      changed.set(JSON.stringify([event.startedAt, event.key]), event);
    }
  };
  let left = LIMITS.alertBatchWindows;
  for (const run of windowRuns({ first, last }, grid, spans)) {
    if (!run.mayHaveData) {
      note(evaluateAlike(rule, state, { ...run, gridSeconds, met: metWithoutData(reads) }));
      evaluatedTo = run.last;
      continue;
    }
    const ends = endsOf(run, gridSeconds, left);
    for (const window of await readWindows(reads, ends)) {
      await pause();
      const finding = window.isCut
        ? await withKeys(reads, window, [...state.firing.keys()])
        : window;
      note(evaluateWindow(rule, state, finding));
      evaluatedTo = window.end;
    }
    left -= ends.length;
    if (left === 0) break;
  }
  const windows = (evaluatedTo - first) / gridSeconds + 1;
  return { state, changed: [...changed.values()], evaluatedTo, windows };
}

function endsOf({ first, last }: WindowRun, gridSeconds: number, limit: number): EpochSeconds[] {
  const count = Math.min(limit, (last - first) / gridSeconds + 1);
  return Array.from({ length: count }, (_, i) => first + i * gridSeconds);
}
