import type { Connection } from '../db/connection/connection.ts';
import { insertAudit } from '../db/sql/audit.ts';
import { type Person, selectPerson, updatePerson } from '../db/sql/people.ts';
import { lockUser } from '../db/sql/users.ts';
import { AccessError, unknownUser } from './access-error.ts';

// Each function runs in a transaction that its caller has opened.

/** Makes a user the person of an identity provider. Sessions of whoever it was before end. */
export async function linkUser(
  connection: Connection,
  name: string,
  person: Pick<Person, 'issuer' | 'subject'>,
): Promise<void> {
  const userId = await lockedUserOf(connection, name);
  const other = await selectPerson(connection, person);
  if (other !== null && other !== name) {
    throw new AccessError(
      `User ${other} is ${person.subject} of ${person.issuer} already`,
      `\`countergraph user unlink\` or \`countergraph user remove\` ends that`,
    );
  }
  if (!(await updatePerson(connection, userId, person))) return;
  const detail = { issuer: person.issuer, subject: person.subject };
  await insertAudit(connection, [{ action: 'user linked', object: name, detail }]);
}

/** Makes a user no person of an identity provider. Sessions that began there end. */
export async function unlinkUser(connection: Connection, name: string): Promise<void> {
  const userId = await lockedUserOf(connection, name);
  if (!(await updatePerson(connection, userId, null))) {
    throw new AccessError(`User ${name} is no person of an identity provider`);
  }
  await insertAudit(connection, [{ action: 'user unlinked', object: name }]);
}

async function lockedUserOf(connection: Connection, name: string): Promise<number> {
  const userId = await lockUser(connection, name);
  if (userId === null) throw unknownUser(name);
  return userId;
}
