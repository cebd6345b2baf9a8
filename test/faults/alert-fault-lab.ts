import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import pg, { type QueryResultRow } from 'pg';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { importFile } from '../../ingest/files/import-file.ts';
import { startWebhook } from '../alerts/webhook-stand-in.ts';
import { withClient } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { group, guidOf, T0 } from '../support/lab/lab.ts';

const GRID = 300;

const CONTEXT = 'lab';

/** An event, with its start and end as numbers of windows: a window is one topper bucket. */
export type WindowEvent = {
  readonly key: string | null;
  readonly began: number;
  readonly ended: number | null;
  readonly peak: number;
};

export type AlertFaultLab = Awaited<ReturnType<typeof openAlertFaultLab>>;

/** Waits for a condition. If it never holds, the test fails by its own timeout. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

/**
 * Opens a context with one rule, a key above 10, and a webhook, in a migrated database that may
 * move to another address later. Nothing evaluates or notifies unless the test starts it.
 */
export async function openAlertFaultLab(databaseUrl: string) {
  let url = databaseUrl;
  const webhook = await startWebhook();
  const sql = <Row extends QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    rowsOf<Row>(url, text, values);
  const apply = (declaration: object) =>
    withClient(url, (client) => applyDeclaration(client, { context: CONTEXT, ...declaration }));
  /** The start of window 1 of the current rule. */
  let origin = T0;
  let files = 0;

  await apply({ groups: [group(1)] });

  async function feed(window: number, values: Readonly<Record<string, number>>): Promise<void> {
    const ts = origin + window * GRID - 60;
    const lines = Object.entries(values).map(([key, value]) =>
      JSON.stringify({ group: guidOf(1), key, ts, values: { 0: value } }),
    );
    files += 1;
    await importFile({
      databaseUrl: url,
      context: CONTEXT,
      format: 'samples',
      again: true,
      source: {
        name: `samples ${files}`,
        sizeBytes: null,
        isRepeatable: true,
        open: () => Readable.from([Buffer.from(`${lines.join('\n')}\n`)]),
      },
      now: () => Math.floor(Date.now() / 1000),
    });
  }

  return {
    webhook,
    sql,
    apply,
    /** Imports a value for each key, in the last bucket of a window. */
    feed,
    /** Uses the database at this address from now on. */
    moveTo(address: string): void {
      url = address;
    },
    /** Deletes the rule and the webhook, and declares them again, with windows a day later. */
    async begin(rule: object = {}): Promise<void> {
      await sql('delete from alerts');
      await sql('delete from alert_sinks');
      origin += 86_400;
      await feed(1, { before: 1 });
      const defaults = { name: 'big', group: guidOf(1), when: { key_above: 10 } };
      await apply({
        alerts: [Object.assign(defaults, rule)],
        notify: [{ name: 'noc', kind: 'webhook', url: webhook.url }],
      });
      webhook.received.length = 0;
    },
    /** Returns all events of the rule, by start and key. */
    async events(): Promise<WindowEvent[]> {
      return sql(
        `select key, ((started_at - $1) / $2)::int as began, ((ended_at - $1) / $2)::int as ended,
           peak_value::float8 as peak
         from alert_events order by started_at, key`,
        [origin, GRID],
      );
    },
    /** Returns the ids of the events, by start. */
    async eventIds(): Promise<string[]> {
      const rows = await sql<{ id: string }>(
        'select event_id as id from alert_events order by started_at',
      );
      return rows.map(({ id }) => id);
    },
    /** Whether there are this many changes, and all have been delivered. */
    async isAllTold(changes: number): Promise<boolean> {
      const rows = await sql<{ told: boolean }>(
        'select delivered_at is not null as told from alert_deliveries',
      );
      return rows.length === changes && rows.every(({ told }) => told);
    },
    /** Blocks writes to a table, but not reads, until the returned connection ends. */
    async hold(table: string): Promise<pg.Client> {
      const locker = new pg.Client({ connectionString: url });
      locker.on('error', () => {});
      await locker.connect();
      await locker.query(`begin; lock table ${table} in exclusive mode`);
      return locker;
    },
    /** Waits until a connection of that name waits for the lock. */
    waitUntilHeld: (name: string): Promise<void> =>
      until(async () => {
        const rows = await sql(
          `select from pg_stat_activity where datname = current_database()
             and application_name = $1 and wait_event_type = 'Lock'`,
          [`countergraph ${name}`],
        );
        return rows.length > 0;
      }),
    /** Returns the idempotency keys that the webhook received, without duplicates. */
    toldOnce: (): string[] => [
      ...new Set(webhook.received.map(({ headers }) => String(headers['idempotency-key']))),
    ],
    /** Returns texts that differ from the first one with the same key: there must be none. */
    contradictions(): string[] {
      const texts = new Map<string, string>();
      return webhook.received.flatMap(({ headers, text }) => {
        const key = String(headers['idempotency-key']);
        const first = texts.get(key) ?? text;
        texts.set(key, first);
        return first === text ? [] : [text];
      });
    },
    close: () => webhook.stop(),
  };
}
