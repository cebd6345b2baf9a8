import { type Command, InvalidArgumentError, Option } from 'commander';
import { setAdmin } from '../../access/accounts.ts';
import {
  type AddedUser,
  addUser,
  type Grant,
  type ListedUser,
  listUsers,
  removeGroup,
  removeUser,
  revokeGrant,
} from '../../access/users.ts';
import { ROLES, type Role } from '../../domain/callers/role.ts';
import { isUsername } from '../../domain/callers/username.ts';
import { LIMITS } from '../../domain/limits.ts';
import { printable } from '../../domain/text/printable.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { NAME_FORM } from '../../domain/text/storable-text.ts';
import { asTyped } from '../invocation.ts';
import { anotherText, parseName, parseNames } from '../option-values.ts';
import { UsageError } from '../usage-error.ts';
import { registerLinks } from './user-link.ts';
import { registerRotate, registerToken } from './user-token.ts';
import { changeUsers, showToken, withUsers } from './with-users.ts';

type JsonOption = { json?: true };

type GroupOption = JsonOption & { group?: string };

type AddOptions = GroupOption & {
  token?: string;
  legacyToken?: string;
  context?: string[];
  role?: Role;
  admin?: boolean;
  onlyNetwork?: string[];
  onlyProbe?: string[];
  onlyGroup?: string[];
};

export function registerUser(program: Command): void {
  const user = program
    .command('user')
    .description('manage users and the contexts that they may read');
  registerAdd(user);
  registerToken(user);
  registerRotate(user);
  registerRevoke(user);
  registerRemove(user);
  registerLinks(user);
  registerList(user);
}

function registerAdd(user: Command): void {
  user
    .command('add')
    .description(
      'add a user, or grant more contexts to one, or to a group of the identity provider; a new token is shown only once',
    )
    .argument('[name]', 'the user', parseUserName)
    .addOption(groupOption().conflicts(['token', 'legacyToken']))
    .option(
      '--token <token>',
      `the token of a new user, instead of a random one: ${LIMITS.chosenTokenLength} characters or more`,
      parseToken,
    )
    .addOption(
      new Option(
        '--legacy-token <token>',
        "a new user's token of the legacy service, of any length",
      )
        .argParser(parseToken)
        .conflicts('token'),
    )
    .option('--context <name>', 'a context that the user may read; repeatable', parseNames)
    .addOption(
      new Option(
        '--role <role>',
        'what the user may do in these contexts: an editor also changes labels and tags (default: the existing role, else reader)',
      ).choices(ROLES),
    )
    .option('--admin', 'let the user manage users, their tokens and grants; grants no context')
    .option('--no-admin', 'let them do so no longer')
    .option('--only-network <cidr>', 'grant only keys in this network; repeatable', anotherText)
    .option('--only-probe <id>', 'grant only readings of this probe; repeatable', parseNames)
    .option(
      '--only-group <group>',
      'grant only this counter group, by name or GUID; repeatable',
      anotherText,
    )
    .option('--json', 'print the result as JSON')
    .action(async (given: string | undefined, options: AddOptions) => {
      const { name, isGroup } = accountOf(given, options);
      const { token, legacyToken, context: contexts = [], role, admin, json } = options;
      const {
        onlyNetwork: networks = [],
        onlyProbe: probes = [],
        onlyGroup: groups = [],
      } = options;
      const limit = { networks, probes, groups };
      if (token !== undefined) requireLength(token);
      const chosenToken = token ?? legacyToken;
      if (role !== undefined && contexts.length === 0) {
        throw new UsageError('--role needs --context: a user has a role in each context');
      }
      if (Object.values(limit).flat().length > 0 && contexts.length === 0) {
        throw new UsageError('a limit needs --context: it limits what of a context is granted');
      }
      const added = await changeUsers(async (connection) => {
        const kind = isGroup ? { isGroup } : {};
        const rights = { contexts, role, limit };
        const user = await addUser(connection, { name, ...kind, chosenToken, ...rights });
        if (admin === undefined) return user;
        await setAdmin(connection, { name, isGroup, isAdmin: admin });
        return { ...user, isAdmin: admin };
      });
      if (json) return console.log(JSON.stringify(added));
      console.error(asTyped(sentence(added)));
      if (admin !== undefined) console.error(adminSentence(added, admin));
      showToken(added.newToken);
    });
}

function registerRevoke(user: Command): void {
  user
    .command('revoke')
    .description(
      'revoke the access of a user, or of a group of the identity provider, to a context',
    )
    .argument('[name]', 'the user', parseName)
    .addOption(groupOption())
    .requiredOption('--context <name>', 'the context', parseName)
    .option('--json', 'print the result as JSON')
    .action(async (given: string | undefined, options: GroupOption & { context: string }) => {
      const account = accountOf(given, options);
      const { context, json } = options;
      await changeUsers((connection) => revokeGrant(connection, { ...account, context }));
      if (json) console.log(JSON.stringify({ ...jsonOf(account), revoked: context }));
      else console.log(`${titleOf(account)} can no longer read context ${context}.`);
    });
}

function registerRemove(user: Command): void {
  user
    .command('remove')
    .description(
      'remove a user with their tokens and grants, or what is granted to a group of the identity provider',
    )
    .argument('[name]', 'the user', parseName)
    .addOption(groupOption())
    .option('--json', 'print the result as JSON')
    .action(async (given: string | undefined, options: GroupOption) => {
      const account = accountOf(given, options);
      const { name, isGroup } = account;
      await changeUsers((connection) => (isGroup ? removeGroup : removeUser)(connection, name));
      if (options.json) console.log(JSON.stringify({ removed: name, ...(isGroup && { isGroup }) }));
      else console.log(`${titleOf(account)} was removed.`);
    });
}

function registerList(user: Command): void {
  user
    .command('list')
    .description(
      'show all users and groups, the contexts that they may read and their role in each',
    )
    .option('--json', 'print the result as JSON')
    .action(async ({ json }: JsonOption) => {
      const users = await withUsers(listUsers);
      if (json) return console.log(JSON.stringify(users));
      for (const { name, isGroup, isAdmin, grants, ...person } of users) {
        const who = isGroup ? `group ${name}` : name;
        const role = isAdmin ? ' (administrator)' : '';
        const contexts = grants.map(grantText).join(', ') || 'no contexts';
        console.log(`${who}${role}: ${contexts}${personText(person)}`);
      }
    });
}

const grantText = ({ context, role, ...limit }: Grant): string => {
  const { onlyNetworks = [], onlyProbes = [], onlyGroups = [] } = limit;
  const only = [
    ...onlyNetworks.map((network) => `network ${network}`),
    ...onlyProbes.map((probe) => `probe ${probe}`),
    ...onlyGroups.map(({ guid, name }) => `group ${name ?? guid}`),
  ];
  const limited = only.length > 0 ? `, only ${only.join(', ')}` : '';
  return `${context} (${role}${limited})`;
};

/** Who signs in as the user at an identity provider, if anybody does. */
function personText({
  issuer,
  subject,
  shownName,
}: Pick<ListedUser, 'issuer' | 'subject' | 'shownName'>): string {
  if (issuer === undefined) return '';
  const called = shownName === undefined ? '' : `, called ${printable(shownName)}`;
  return `; signs in at ${issuer} as ${printable(subject ?? '')}${called}`;
}

function adminSentence({ name, isGroup }: AddedUser, isAdmin: boolean): string {
  if (isGroup) return `Users in group ${name} are ${isAdmin ? '' : 'no '}administrators.`;
  return isAdmin
    ? `User ${name} is an administrator: they may manage users, tokens and grants.`
    : `User ${name} is no administrator.`;
}

function sentence({ granted, grantedBefore, ...is }: AddedUser): string {
  const { name, isGroup = false, created } = is;
  const title = titleOf({ name, isGroup });
  if (created && granted.length === 0) {
    const account = `${isGroup ? '--group ' : ''}${shellWord(name)}`;
    const grant = `\`countergraph user add ${account} --context NAME\``;
    return `${title} was added, and may read no context yet: ${grant} grants one.`;
  }
  const withRoles = (contexts: readonly string[]): string =>
    is.grants
      .filter(({ context }) => contexts.includes(context))
      .map(grantText)
      .join(', ') || 'nothing';
  if (created) return `${title} was added, with context ${withRoles(granted)}.`;
  const unchanged = grantedBefore.filter(
    (context) => !is.roleChanged.includes(context) && !is.limitChanged.includes(context),
  );
  const roles = is.roleChanged.length > 0 ? ` New role: ${withRoles(is.roleChanged)}.` : '';
  const limits = is.limitChanged.length > 0 ? ` New limit: ${withRoles(is.limitChanged)}.` : '';
  const grants = `Granted now: ${withRoles(granted)}.${roles}${limits} Unchanged: ${withRoles(unchanged)}.`;
  return `${title} already exists. ${grants}`;
}

const groupOption = () =>
  new Option('--group <group>', 'a group of the identity provider, instead of a user').argParser(
    parseName,
  );

/** Returns whom a command is about. Error: `UsageError` unless it names one user or one group. */
function accountOf(name: string | undefined, { group }: GroupOption) {
  if (group !== undefined && name === undefined) return { name: group, isGroup: true };
  if (group === undefined && name !== undefined) return { name, isGroup: false };
  throw new UsageError('name either a user or a --group');
}

type Account = ReturnType<typeof accountOf>;

const titleOf = ({ name, isGroup }: Account): string => `${isGroup ? 'Group' : 'User'} ${name}`;

const jsonOf = ({ name, isGroup }: Account) => ({ name, ...(isGroup && { isGroup }) });

function parseUserName(text: string): string {
  if (isUsername(text)) return text;
  throw new InvalidArgumentError(`It must be ${NAME_FORM}, and without colons.`);
}

/** The message does not repeat the token, as that of a parser would. */
function requireLength({ length }: string): void {
  const least = LIMITS.chosenTokenLength;
  if (length >= least) return;
  throw new UsageError(
    `--token must have ${least} characters or more, got ${length}: leave it out for a random one; ` +
      '--legacy-token takes a shorter one of the legacy service',
  );
}

function parseToken(text: string): string {
  // The characters that an HTTP header can carry.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new InvalidArgumentError('It must be printable ASCII characters without spaces.');
}
