import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import pg, { type QueryResultRow } from 'pg';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { importFile } from '../../ingest/files/import-file.ts';
import { startWebhook } from '../alerts/webhook-stand-in.ts';
import { withClient } from '../support/database.ts';
import { group, guidOf, T0 } from '../support/lab.ts';

const GRID = 300;

const CONTEXT = 'lab';

/** An event as its rule's windows have it: those that end after so many topper buckets. */
export type WindowEvent = {
  readonly key: string | null;
  readonly began: number;
  readonly ended: number | null;
  readonly peak: number;
};

export type AlertFaultLab = Awaited<ReturnType<typeof openAlertFaultLab>>;

/** Waits for what will come to pass; the test's own time limit ends a wait for what does not. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

/**
 * A context with one rule, a key above 10, in a migrated database that may be at another address
 * later, and a webhook. Nothing decides and nothing notifies but what the test starts.
 */
export async function openAlertFaultLab(databaseUrl: string) {
  let url = databaseUrl;
  const webhook = await startWebhook();
  const sql = async <Row extends QueryResultRow>(text: string, values: unknown[] = []) =>
    (await withClient(url, (client) => client.query<Row>(text, values))).rows;
  const apply = (declaration: object) =>
    withClient(url, (client) => applyDeclaration(client, { context: CONTEXT, ...declaration }));
  /** The windows of the rule that is watched now are counted from here. */
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
    /** What each key has in the last bucket of the window that ends after so many topper buckets. */
    feed,
    /** From now on the database is there. */
    moveTo(address: string): void {
      url = address;
    },
    /** Forgets what there was, and declares the rule and the webhook anew, a day later. */
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
    /** All events of the rule, by start and key. */
    async events(): Promise<WindowEvent[]> {
      return sql(
        `select key, ((started_at - $1) / $2)::int as began, ((ended_at - $1) / $2)::int as ended,
           peak_value::float8 as peak
         from alert_events order by started_at, key`,
        [origin, GRID],
      );
    },
    /** The id of the event that is the only one. */
    async eventId(): Promise<string> {
      const rows = await sql<{ id: string }>('select event_id as id from alert_events');
      if (rows.length !== 1) throw new Error(`there are ${rows.length} events`);
      return rows[0]?.id ?? '';
    },
    /** Whether every change of the events so far has been told. */
    async isAllTold(changes: number): Promise<boolean> {
      const rows = await sql<{ told: boolean }>(
        'select delivered_at is not null as told from alert_deliveries',
      );
      return rows.length === changes && rows.every(({ told }) => told);
    },
    /** Lets nobody write to a table until it is ended; reading goes on. */
    async hold(table: string): Promise<pg.Client> {
      const locker = new pg.Client({ connectionString: url });
      locker.on('error', () => {});
      await locker.connect();
      await locker.query(`begin; lock table ${table} in exclusive mode`);
      return locker;
    },
    /** Waits until a connection of that name waits for what is held. */
    waitUntilHeld: (name: string): Promise<void> =>
      until(async () => {
        const rows = await sql(
          `select from pg_stat_activity where datname = current_database()
             and application_name = $1 and wait_event_type = 'Lock'`,
          [`countergraph ${name}`],
        );
        return rows.length > 0;
      }),
    /** What the webhook was told, without what it recognises as told before. */
    toldOnce: (): string[] => [
      ...new Set(webhook.received.map(({ headers }) => String(headers['idempotency-key']))),
    ],
    /** Different texts that were sent under the same key: there must be none. */
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
