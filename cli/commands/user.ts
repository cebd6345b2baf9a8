import { type Command, InvalidArgumentError, Option } from 'commander';
import { asTyped } from '../../db/command-form.ts';
import type { Connection } from '../../db/connection/connection.ts';
import { withConnection } from '../../db/write/with-connection.ts';
import { ROLES, type Role } from '../../domain/callers/role.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { isName, NAME_FORM } from '../../domain/text/storable-text.ts';
import {
  type AddedUser,
  addUser,
  type Grant,
  listUsers,
  removeUser,
  revokeGrant,
  rotateToken,
} from '../../ingest/users.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName } from '../option-values.ts';
import { UsageError } from '../usage-error.ts';

type JsonOption = { json?: true };

type AddOptions = JsonOption & { token?: string; context?: string[]; role?: Role };

export function registerUser(program: Command): void {
  const user = program
    .command('user')
    .description('manage users and the contexts that they may read');
  registerAdd(user);
  registerRotate(user);
  registerRevoke(user);
  registerRemove(user);
  registerList(user);
}

function registerAdd(user: Command): void {
  user
    .command('add')
    .description('add a user, or grant more contexts to one; a new token is shown only once')
    .argument('<name>', 'the user', parseUserName)
    .option('--token <token>', 'the token of a new user, instead of a random one', parseToken)
    .option('--context <name>', 'a context that the user may read; repeatable', collect)
    .addOption(
      new Option(
        '--role <role>',
        'what the user may do in these contexts: an editor also changes labels and tags (default: the existing role, else reader)',
      ).choices(ROLES),
    )
    .option('--json', 'print the result as JSON')
    .action(async (name: string, options: AddOptions) => {
      const { token, context: contexts = [], role, json } = options;
      if (role !== undefined && contexts.length === 0) {
        throw new UsageError('--role needs --context: a user has a role in each context');
      }
      const added = await withUsers((connection) =>
        addUser(connection, { name, token, contexts, role }),
      );
      if (json) return console.log(JSON.stringify(added));
      console.error(asTyped(sentence(added)));
      showToken(added.newToken);
    });
}

function registerRotate(user: Command): void {
  user
    .command('rotate')
    .description('give a user a new token, which is shown only once')
    .argument('<name>', 'the user')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, { json }: JsonOption) => {
      const newToken = await withUsers((connection) => rotateToken(connection, name));
      if (json) console.log(JSON.stringify({ name, newToken }));
      else showToken(newToken);
    });
}

function registerRevoke(user: Command): void {
  user
    .command('revoke')
    .description('revoke the access of a user to a context')
    .argument('<name>', 'the user')
    .requiredOption('--context <name>', 'the context', parseName)
    .option('--json', 'print the result as JSON')
    .action(async (name: string, { context, json }: JsonOption & { context: string }) => {
      await withUsers((connection) => revokeGrant(connection, name, context));
      if (json) console.log(JSON.stringify({ name, revoked: context }));
      else console.log(`User ${name} can no longer read context ${context}.`);
    });
}

function registerRemove(user: Command): void {
  user
    .command('remove')
    .description('remove a user with their token and grants')
    .argument('<name>', 'the user')
    .option('--json', 'print the result as JSON')
    .action(async (name: string, { json }: JsonOption) => {
      await withUsers((connection) => removeUser(connection, name));
      console.log(json ? JSON.stringify({ removed: name }) : `User ${name} was removed.`);
    });
}

function registerList(user: Command): void {
  user
    .command('list')
    .description('show all users, the contexts that they may read and their role in each')
    .option('--json', 'print the result as JSON')
    .action(async ({ json }: JsonOption) => {
      const users = await withUsers(listUsers);
      if (json) return console.log(JSON.stringify(users));
      for (const { name, grants } of users) {
        console.log(`${name}: ${grants.map(grantText).join(', ') || 'no contexts'}`);
      }
    });
}

const withUsers = <T>(work: (connection: Connection) => Promise<T>): Promise<T> =>
  withDatabase(({ url: databaseUrl, signal }) =>
    withConnection({ databaseUrl, signal }, 'user', work),
  );

const grantText = ({ context, role }: Grant): string => `${context} (${role})`;

function sentence({ name, created, granted, grantedBefore, ...is }: AddedUser): string {
  if (created && granted.length === 0) {
    const grant = `\`countergraph user add ${shellWord(name)} --context NAME\``;
    return `User ${name} was added, and may read no context yet: ${grant} grants one.`;
  }
  const withRoles = (contexts: readonly string[]): string =>
    is.grants
      .filter(({ context }) => contexts.includes(context))
      .map(grantText)
      .join(', ') || 'nothing';
  if (created) return `User ${name} was added, with context ${withRoles(granted)}.`;
  const unchanged = grantedBefore.filter((context) => !is.roleChanged.includes(context));
  const roles = is.roleChanged.length > 0 ? ` New role: ${withRoles(is.roleChanged)}.` : '';
  const grants = `Granted now: ${withRoles(granted)}.${roles} Unchanged: ${withRoles(unchanged)}.`;
  return `User ${name} already exists. ${grants}`;
}

/** Prints the token alone on standard output, so that a script can read it from there. */
function showToken(token: string | null): void {
  if (token === null) return;
  console.error('The token, which is not shown again:');
  console.log(token);
}

const collect = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];

function parseUserName(text: string): string {
  // HTTP Basic ends the user's name at the first colon.
  if (isName(text) && !text.includes(':')) return text;
  throw new InvalidArgumentError(`It must be ${NAME_FORM}, and without colons.`);
}

function parseToken(text: string): string {
  // The characters that an HTTP header can carry.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be printable ASCII characters without spaces.');
}
