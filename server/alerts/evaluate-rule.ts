import { createHash } from 'node:crypto';
import { type Connection, inTransaction } from '../../db/connection/connection.ts';
import {
  type DecidedTo,
  type IdentifiedEvent,
  type RuleDataTimes,
  selectRuleState,
  writeDecision,
} from '../../db/sql/alert-decisions.ts';
import type { StoredAlert } from '../../db/sql/alert-rules.ts';
import {
  type AlertEvent,
  evaluateWindow,
  type RuleState,
} from '../../domain/alerts/decide-windows.ts';
import { firstEndAfter, lastDueEnd, settledAt } from '../../domain/alerts/windows.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type EpochSeconds, floorTo } from '../../domain/time/interval.ts';
import { evaluateBatch } from '../../resolvers/alerts/evaluate-batch.ts';
import { openRuleReads } from '../../resolvers/alerts/rule-reads.ts';
import type { WindowReader } from './window-reader.ts';

export type Evaluation = {
  readonly connection: Connection;
  readonly reader: WindowReader;
  readonly signal: AbortSignal;
  /** Epoch seconds. */
  readonly now: EpochSeconds;
};

/** The outcome of deciding one batch of a rule's windows. */
export type RuleOutcome = {
  readonly windows: number;
  readonly began: readonly IdentifiedEvent[];
  readonly ended: readonly IdentifiedEvent[];
  /** Seconds from the last window decided to the last window due. */
  readonly lagSeconds: number;
  /** When the next window becomes due without new data; null: never. */
  readonly lookAgainAt: EpochSeconds | null;
};

const NOTHING = { windows: 0, began: [], ended: [] } as const;

/**
 * Decides the next batch of a rule's due windows. Returns null if another server has decided them
 * or the rule was changed meanwhile.
 */
export async function evaluateRule(
  evaluation: Evaluation,
  alert: StoredAlert,
  data: RuleDataTimes | null,
): Promise<RuleOutcome | null> {
  const before = await selectRuleState(evaluation.connection, alert.alertId);
  if (!before) return null;
  // Without any data no window is due, and a rule about silence has no data to miss.
  if (!data) return { ...NOTHING, lagSeconds: 0, lookAgainAt: null };
  const input = { alert, before, data };
  return alert.rule.when.condition === 'silent_seconds'
    ? evaluateSilence(evaluation, input)
    : evaluateDue(evaluation, input);
}

type RuleInput = {
  readonly alert: StoredAlert;
  readonly before: DecidedTo;
  readonly data: RuleDataTimes;
};

async function evaluateDue(evaluation: Evaluation, input: RuleInput): Promise<RuleOutcome | null> {
  const { reader, signal, now } = evaluation;
  const { alert, before, data } = input;
  const { rule, contextId, topperBucketSize: grid } = alert;
  const beginsAfter = alert.beginsAfter ?? data.first;
  const first = firstEndAfter(before.evaluatedTo ?? beginsAfter, grid);
  const last = lastDueEnd(data, grid, now);
  // What is ahead of the clock becomes present without new data.
  const aheadAt = data.isAhead ? firstEndAfter(now, grid) : null;
  const lookAgainAt = now < settledAt(data, grid) ? settledAt(data, grid) : aheadAt;
  if (last < first) return { ...NOTHING, lagSeconds: 0, lookAgainAt };
  const batch = await reader.inSnapshot(signal, async (loaders) => {
    const reads = await openRuleReads(loaders, { contextId, rule }, null);
    return evaluateBatch(reads, before.state, { first, last });
  });
  const { state, changed, evaluatedTo, windows } = batch;
  const written = await store(evaluation, input, { state, changed, evaluatedTo });
  return written && { ...written, windows, lagSeconds: last - evaluatedTo, lookAgainAt };
}

/**
 * Compares the age of the newest bucket with the threshold, by the clock as it is now: it may have
 * been set back since the last decision. Writes only changes.
 */
async function evaluateSilence(
  evaluation: Evaluation,
  input: RuleInput,
): Promise<RuleOutcome | null> {
  const { alert, before, data } = input;
  const every = LIMITS.alertSilenceSeconds;
  const end = floorTo(evaluation.now, every);
  const nothing = { ...NOTHING, lagSeconds: 0, lookAgainAt: end + every };
  if (end === before.evaluatedTo) return nothing;
  const seconds = end - data.newestAt;
  const met = seconds > alert.rule.when.threshold ? [{ key: null, value: BigInt(seconds) }] : [];
  const evaluated = evaluateWindow(atOnce(alert), before.state, { end, met });
  if (evaluated.changed.length === 0) return nothing;
  const changed = evaluated.changed.map(endedAfterStart);
  const written = await store(evaluation, input, { ...evaluated, changed, evaluatedTo: end });
  return written && { ...nothing, ...written };
}

/** An event that began by a clock that was ahead ends when it began. */
const endedAfterStart = (event: AlertEvent): AlertEvent =>
  event.endedAt !== null && event.endedAt < event.startedAt
    ? { ...event, endedAt: event.startedAt }
    : event;

/** `for_windows` and `clear_windows` do not apply to silence. */
const atOnce = ({ rule }: StoredAlert) => ({ ...rule, forWindows: 1, clearWindows: 1 });

type EvaluatedWindows = {
  readonly state: RuleState;
  readonly changed: readonly AlertEvent[];
  readonly evaluatedTo: EpochSeconds;
};

/**
 * Stores the decision in one transaction. Returns null if another server was faster or the rule was
 * changed; nothing is stored then.
 */
async function store(
  { connection }: Evaluation,
  { alert, before, data }: RuleInput,
  { state, changed, evaluatedTo }: EvaluatedWindows,
): Promise<Pick<RuleOutcome, 'began' | 'ended'> | null> {
  const { alertId, contextId, revision } = alert;
  const events = changed.map((event) => ({ ...event, eventId: eventIdOf({ revision, ...event }) }));
  const wasFiring = ({ key, startedAt }: AlertEvent) =>
    before.state.firing.get(key)?.startedAt === startedAt;
  const began = events.filter((event) => !wasFiring(event));
  const isWritten = await inTransaction(connection, () =>
    writeDecision(connection, {
      alertId,
      contextId,
      beginsAfter: alert.beginsAfter ?? data.first,
      before,
      evaluatedTo,
      state,
      began,
      changed: events.filter(wasFiring),
    }),
  );
  return isWritten ? { began, ended: events.filter(({ endedAt }) => endedAt !== null) } : null;
}

type EventOrigin = {
  /** The UUID of the rule's revision. */
  readonly revision: string;
  /** null: the whole group. */
  readonly key: string | null;
  readonly startedAt: EpochSeconds;
};

/**
 * Returns the id of an event: a version 5 UUID (RFC 9562) of its start and key, with the revision
 * as the namespace. A window that is decided again yields events with the same ids.
 */
function eventIdOf({ revision, key, startedAt }: EventOrigin): string {
  const hash = createHash('sha1');
  hash.update(Buffer.from(revision.replaceAll('-', ''), 'hex'));
  hash.update(JSON.stringify([startedAt, key]));
  const bytes = hash.digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
