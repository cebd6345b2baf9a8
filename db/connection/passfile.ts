import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress, DatabaseHost } from '../../domain/text/database-url.ts';

/** The server wants a password, and there is none: SQLSTATE 28P01, invalid password. */
class NoPassword extends Error {
  readonly code = '28P01';
}

/** Returns who this process belongs to, which is the user of an address that names none. */
export function operatingSystemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a number that its machine has no name for.
    return 'postgres';
  }
}

/**
 * Returns the password for a server according to the user's password file (PostgreSQL's
 * documentation, "The Password File"). Errors: NoPassword.
 */
export async function findPassword(address: DatabaseAddress, host: DatabaseHost): Promise<string> {
  const user = address.user ?? operatingSystemUser();
  const wanted = [
    // A Unix socket counts as localhost.
    host.host.startsWith('/') ? 'localhost' : host.host,
    String(host.port),
    address.database ?? user,
    user,
  ];
  const file = address.passfile ?? join(homedir(), '.pgpass');
  const text = await readFile(file, 'utf8').catch(() => '');
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(FIELD)].map(([, field = '']) => field.replace(/\\(.)/g, '$1'));
    const isFor = wanted.every((value, at) => fields[at] === '*' || fields[at] === value);
    const password = fields[wanted.length];
    if (isFor && password) return password;
  }
  throw new NoPassword(
    `the server asks for a password, and there is none for ${user}: add it to DATABASE_URL, set ` +
      `PGPASSWORD, or add a line to ${file}`,
  );
}

/** One of the fields between colons; a backslash stands before a colon that belongs to it. */
const FIELD = /((?:\\.|[^:\\])+)(?::|$)/g;
