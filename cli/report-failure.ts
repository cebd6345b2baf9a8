import { CommanderError } from 'commander';
import { outcomeOf } from '../db/connection/transaction-outcome.ts';
import { errorCode, isForbidden, isReadOnly } from '../db/database-error.ts';
import { ERRORS } from '../domain/errors.ts';
import { isDatabaseUrl, parseDatabaseUrl } from '../domain/text/database-url.ts';
import { reasonOf } from '../domain/text/reason-of.ts';
import { SettingsError } from '../server/settings/settings.ts';
import { asTyped } from './invocation.ts';
import { Interrupted } from './listen-for-signals.ts';
import { databaseFailure } from './output/database-failure.ts';
import { DISK_FULL_REMEDY } from './output/disk-full.ts';
import { UsageError } from './usage-error.ts';

/**
 * Prints the error for people and returns the exit status: 0 after --help and --version, 2 for a
 * mistake of the user, the signal's status after an interruption, else 1.
 */
export function reportFailure(error: unknown): number {
  if (error instanceof CommanderError) {
    return reportUsage(error);
  }
  if (error instanceof SettingsError) {
    for (const line of error.lines) {
      console.error(`countergraph: ${line}`);
    }
    return 2;
  }
  console.error(`countergraph: ${asTyped(inOneLine(error))}`);
  if (error instanceof UsageError) {
    return 2;
  }
  return error instanceof Interrupted ? error.exitStatus : 1;
}

/** After a failover, `DATABASE_URL` may name a server that is a standby now. */
const READ_ONLY = `${ERRORS.readOnly.message}: set DATABASE_URL to the primary's address`;

function reportUsage({ code, exitCode, message }: CommanderError): number {
  if (exitCode === 0) {
    // --help and --version were asked for, and have been printed.
    return 0;
  }
  const mistake =
    code === 'commander.help'
      ? 'a command is missing'
      : message
          .replace(/^error: /, '')
          .replace(/\.$/, '')
          .replaceAll(/\s+/g, ' ');
  console.error(`countergraph: ${mistake}; see --help`);
  return 2;
}

/** Returns the reason of a failure on one line. */
function inOneLine(error: unknown): string {
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd') {
    return 'the current folder was deleted: change to another one';
  }
  if (isReadOnly(error)) return READ_ONLY;
  const known = outcomeOf(error) === null ? error : databaseFailure(error, ANY_TRANSACTION);
  const reason = reasonInLine(known);
  if (isDiskFull(error)) return `${reason}: ${DISK_FULL_REMEDY}`;
  return isForbidden(error) ? forbidden(reason) : reason;
}

const reasonInLine = (error: unknown): string =>
  reasonOf(error)
    .trim()
    .replaceAll(/\s*\n\s*/g, ' | ');

/** disk_full, as PostgreSQL says it. */
const isDiskFull = (error: unknown): boolean =>
  errorCode(error) === '53100' || (error instanceof Error && isDiskFull(error.cause));

const ANY_TRANSACTION = {
  undone: 'what was in progress is undone',
  unknown: 'it is not known whether the last step was done',
  again: 'run the command again',
};

/** Returns what to do if the role lacks a right, and PostgreSQL's words, which name the table. */
function forbidden(reason: string): string {
  const url = process.env['DATABASE_URL'] ?? '';
  const role = isDatabaseUrl(url) ? parseDatabaseUrl(url).user : null;
  const who = role === null ? 'The role in DATABASE_URL' : `Role ${role}`;
  return (
    `${who} lacks a right (${reason}): set DATABASE_URL to the role that owns the tables of ` +
    'countergraph; a role with nothing but SELECT on them can only serve, export and verify'
  );
}
