import type { Command } from 'commander';
import { withConnection } from '../../db/connection/with-connection.ts';
import { type AuditRow, selectAudit } from '../../db/sql/audit.ts';
import { LIMITS } from '../../domain/limits.ts';
import { printable } from '../../domain/text/printable.ts';
import { MOMENT_FORM } from '../../domain/time/moment.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName, readMoment } from '../option-values.ts';

type AuditOptions = { since?: string; user?: string; json?: true };

export function registerAudit(program: Command): void {
  program
    .command('audit')
    .description('show who changed what, and who failed to sign in, oldest first')
    .option('--since <time>', `only from this time on; ${MOMENT_FORM}`)
    .option('--user <name>', 'only what this user did', parseName)
    .option('--json', 'print each row as a line of JSON')
    .action(runAudit);
}

async function runAudit({ since, user, json }: AuditOptions): Promise<void> {
  const from = since === undefined ? null : readMoment('--since', since);
  await withDatabase(({ url: databaseUrl, signal }) =>
    withConnection({ databaseUrl, signal }, 'audit', async (connection) => {
      const most = LIMITS.auditRows;
      let after: AuditRow | null = null;
      for (;;) {
        const selection = { since: from, user: user ?? null, after, most };
        const rows: AuditRow[] = await selectAudit(connection, selection);
        for (const row of rows) console.log(json ? jsonOf(row) : lineOf(row));
        after = rows.at(-1) ?? null;
        signal.throwIfAborted();
        if (rows.length < most) return;
      }
    }),
  );
}

const jsonOf = ({ id: _, ...row }: AuditRow): string => JSON.stringify(row);

/** Formats a row as one line. Names of failed sign-ins come from strangers. */
function lineOf({ at, user, from, action, object, detail }: AuditRow): string {
  const who = `${user ?? 'others'} from ${from ?? 'elsewhere'}`;
  const more = Object.entries(detail).map(([name, value]) => `${name}=${textOf(value)}`);
  return printable([at.toISOString(), `${who}:`, action, object, ...more].join(' '));
}

const textOf = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
