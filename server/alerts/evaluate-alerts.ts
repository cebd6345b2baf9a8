import {
  type Connection,
  isTransactionPooled,
  type OpenConnection,
  openConnection,
} from '../../db/connection/connection.ts';
import { endConnection } from '../../db/connection/end-connection.ts';
import {
  type RuleDataTimes,
  selectDataTimes,
  selectWatch,
  tryLockDecisions,
  type Watch,
} from '../../db/sql/alert-decisions.ts';
import { type StoredAlert, selectStoredAlerts } from '../../db/sql/alert-rules.ts';
import { conditionText } from '../../domain/alerts/condition-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import {
  type BackgroundWork,
  type Delays,
  workInBackground,
} from '../background/background-work.ts';
import type { Logger } from '../telemetry/log.ts';
import { AlertTally } from './alert-metrics.ts';
import { type Evaluation, evaluateRule, type RuleOutcome } from './evaluate-rule.ts';
import { WindowReader } from './window-reader.ts';

export type EvaluateAlertsOptions = {
  readonly databaseUrl: string;
  readonly log: Logger;
  /** Milliseconds since the epoch; by default the database's clock. */
  readonly clock?: () => number;
  /** Counts what was done. */
  readonly tally?: AlertTally;
  /** null: runs only when `runOnce` is called. */
  readonly delays?: Delays | null;
  /** How long a statement may take before its connection counts as lost. */
  readonly statementMs?: number;
};

const DELAYS = { firstMs: LIMITS.alertsFirstMs, everyMs: LIMITS.alertsEveryMs };

/** Decides the windows of all alerts on the primary as they become due, each once and in order. */
export function evaluateAlerts(options: EvaluateAlertsOptions): BackgroundWork {
  // A default for undefined only: null means without timers.
  const { delays = DELAYS, log } = options;
  const evaluator = new Evaluator(options);
  const work = workInBackground((signal) => evaluator.check(signal), delays, log);
  return {
    runOnce: work.runOnce,
    async stop() {
      await work.stop();
      await evaluator.close();
    },
  };
}

/** When to check a rule again if it has no window due. */
type Settled = {
  /** When the version of the context's data differs from this one; null: whatever the version. */
  readonly version: string | null;
  /** At this time at the latest; null: only when there are new data. */
  readonly at: EpochSeconds | null;
  /** When this was found out. If the clock is set back before it, `at` may be far too late. */
  readonly since: EpochSeconds;
};

type WatchedRule = Watch['rules'][number];

class Evaluator {
  readonly #log: Logger;
  readonly #clock: (() => number) | null;
  /** What the database's clock said, and when that was read by a clock that nobody sets. */
  #read = { seconds: 0, atMs: 0 };
  readonly #tally: AlertTally;
  readonly #session: EvaluationSession;
  readonly #reader: WindowReader;
  /** By alert_id. */
  readonly #settled = new Map<number, Settled>();
  /** What is failing now. Each failure is logged once until the work succeeds again. */
  readonly #failing = new Set<string>();

  constructor(options: EvaluateAlertsOptions) {
    const { databaseUrl, log, tally = new AlertTally(), clock = null } = options;
    this.#log = log;
    this.#clock = clock;
    this.#tally = tally;
    const { statementMs = LIMITS.alertStatementMs } = options;
    this.#session = new EvaluationSession(databaseUrl, statementMs);
    this.#reader = new WindowReader({ databaseUrl, runsInline: false });
  }

  async check(signal: AbortSignal): Promise<void> {
    try {
      const connection = await this.#session.open();
      const watch = await selectWatch(connection);
      this.#read = { seconds: watch.now, atMs: performance.now() };
      if (this.#failing.delete(ALL)) this.#log.info('alerts are decided again');
      await this.#evaluateAll({ connection, watch, signal });
      this.#tally.noteProgress();
    } catch (error) {
      this.#tally.isEvaluating = false;
      // Whatever the error, the next pass opens a new connection or logs why it cannot.
      await this.#session.close();
      if (signal.aborted) return;
      this.#tally.failures += 1;
      this.#noteFailing(ALL, 'alerts cannot be decided', { err: error });
    }
  }

  #now(): EpochSeconds {
    const { seconds, atMs } = this.#read;
    if (this.#clock) return Math.floor(this.#clock() / 1000);
    return seconds + Math.floor((performance.now() - atMs) / 1000);
  }

  async close(): Promise<void> {
    await Promise.all([this.#session.close(), this.#reader.close()]);
  }

  async #evaluateAll({ connection, watch, signal }: Pass): Promise<void> {
    const { rules, firing, silenced, isReader } = watch;
    this.#tally.rules = rules.length;
    this.#tally.firing = firing;
    this.#tally.silenced = silenced;
    this.#forgetOthers(rules);
    this.#tally.isEvaluating = !isReader && (await this.#session.mayEvaluate());
    if (!this.#tally.isEvaluating) return;
    let due = rules.filter((rule) => !this.#isSettled(rule));
    // One batch per rule in turn, so a rule with a year to catch up does not delay the others.
    while (due.length > 0) {
      const alerts = byAlertId(await selectStoredAlerts(connection, null));
      const times = byAlertId(
        await selectDataTimes(
          connection,
          due.map(({ alertId }) => alertId),
        ),
      );
      const more: WatchedRule[] = [];
      for (const rule of due) {
        signal.throwIfAborted();
        const alert = alerts.get(rule.alertId);
        const data = times.get(rule.alertId) ?? null;
        const evaluation = { connection, reader: this.#reader, signal, now: this.#now() };
        const outcome = alert && (await this.#evaluate(evaluation, alert, data));
        if (outcome && outcome.lagSeconds > 0) more.push(rule);
        else if (outcome) {
          this.#settle(rule.alertId, { version: rule.version, at: outcome.lookAgainAt });
        }
      }
      due = more;
    }
  }

  /**
   * Decides one batch of a rule. Returns null if nothing was decided. If a rule fails while the
   * connection still works, the other rules are still decided. Errors: the connection is lost.
   */
  async #evaluate(
    evaluation: Evaluation,
    alert: StoredAlert,
    data: RuleDataTimes | null,
  ): Promise<RuleOutcome | null> {
    const { connection, signal } = evaluation;
    try {
      const outcome = await evaluateRule(evaluation, alert, data);
      if (outcome) this.#note(alert, outcome);
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      // Fails if the connection is lost: then it is not the rule that failed.
      await connection.query('select 1');
      this.#noteFailedRule(alert, error);
      return null;
    }
  }

  #note(alert: StoredAlert, outcome: RuleOutcome): void {
    const { context, rule, alertId } = alert;
    const tally = this.#tally;
    tally.noteProgress();
    tally.windows += outcome.windows;
    tally.began += outcome.began.length;
    tally.ended += outcome.ended.length;
    tally.lagOf.set(alertId, outcome.lagSeconds);
    const named = { context, alert: rule.name };
    if (this.#failing.delete(String(alertId))) this.#log.info(named, 'an alert is decided again');
    for (const { key, startedAt, value } of outcome.began) {
      const condition = conditionText(rule.when);
      const told = { ...named, key, startedAt, value: String(value), condition };
      this.#log.info(told, 'an alert began to fire');
    }
    for (const { key, startedAt, endedAt } of outcome.ended) {
      this.#log.info({ ...named, key, startedAt, endedAt }, 'an alert ended');
    }
  }

  #noteFailedRule({ alertId, context, rule }: StoredAlert, cause: unknown): void {
    this.#tally.failures += 1;
    this.#settle(alertId, { version: null, at: this.#now() + LIMITS.alertRetrySeconds });
    const facts = { err: cause, context, alert: rule.name };
    this.#noteFailing(String(alertId), 'an alert cannot be decided', facts);
  }

  #noteFailing(what: string, message: string, facts: object): void {
    if (this.#failing.has(what)) return;
    this.#failing.add(what);
    this.#log.error(facts, `${message}; it is retried until it succeeds, which is logged`);
  }

  #settle(alertId: number, { version, at }: Omit<Settled, 'since'>): void {
    this.#settled.set(alertId, { version, at, since: this.#now() });
  }

  #isSettled({ alertId, version }: WatchedRule): boolean {
    const settled = this.#settled.get(alertId);
    const now = this.#now();
    if (!settled || now < settled.since) return false;
    if (settled.at !== null && now >= settled.at) return false;
    return settled.version === null || settled.version === version;
  }

  /** Removes the state of rules that are superseded, disabled or gone. */
  #forgetOthers(rules: readonly WatchedRule[]): void {
    const ids = new Set(rules.map(({ alertId }) => alertId));
    for (const map of [this.#settled, this.#tally.lagOf]) {
      for (const id of map.keys()) if (!ids.has(id)) map.delete(id);
    }
  }
}

const byAlertId = <T extends { readonly alertId: number }>(rows: readonly T[]) =>
  new Map(rows.map((row) => [row.alertId, row]));

/** The entry of `#failing` that means that no rule can be decided. */
const ALL = 'all';

type Pass = {
  readonly connection: Connection;
  readonly watch: Watch;
  readonly signal: AbortSignal;
};

/**
 * The connection on which one server decides alerts. Its advisory lock keeps other servers from
 * reading the same windows in vain. The lock is released with the connection, however the server
 * ends. It is only an optimization: the update of the rule's row ensures that each window is
 * decided once (write-decision.ts). Behind a pooler in transaction mode, which cannot hold such a
 * lock, all servers try.
 */
class EvaluationSession {
  readonly #databaseUrl: string;
  readonly #statementMs: number;
  #client: OpenConnection | null = null;
  #lost: OpenConnection | null = null;
  #isHolder = false;

  constructor(databaseUrl: string, statementMs: number) {
    this.#databaseUrl = databaseUrl;
    this.#statementMs = statementMs;
  }

  async open(): Promise<Connection> {
    const how = { statementMs: this.#statementMs, replaces: this.#lost };
    this.#client ??= await openConnection(this.#databaseUrl, 'alerts', how);
    return this.#client;
  }

  /** Whether this server decides alerts; tries to take the lock. */
  async mayEvaluate(): Promise<boolean> {
    const connection = await this.open();
    if (this.#isHolder || isTransactionPooled(connection)) return true;
    this.#isHolder = await tryLockDecisions(connection);
    return this.#isHolder;
  }

  /** Closes the connection; the next call of `open` connects again. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#lost = client ?? this.#lost;
    this.#client = null;
    this.#isHolder = false;
    if (client) await endConnection(client).catch(() => undefined);
  }
}
