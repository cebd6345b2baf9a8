import { type Command, InvalidArgumentError } from 'commander';
import {
  FIRST_TOKEN,
  listTokens,
  makeToken,
  replaceToken,
  revokeToken,
  type TokenEnd,
} from '../../access/tokens.ts';
import type { TokenRow } from '../../db/sql/tokens.ts';
import { isTokenName, TOKEN_NAME_FORM } from '../../domain/callers/token-name.ts';
import { LIMITS } from '../../domain/limits.ts';
import { MOMENT_FORM, parseSpan, SPAN_FORM } from '../../domain/time/moment.ts';
import { parseName, readMoment } from '../option-values.ts';
import { UsageError } from '../usage-error.ts';
import { changeUsers, showToken, withUsers } from './with-users.ts';

type JsonOption = { json?: true };

const DAY_SECONDS = 86_400;

export function registerToken(user: Command): void {
  const token = user.command('token').description("manage a user's tokens, one for each program");
  registerAdd(token);
  registerList(token);
  registerRevoke(token);
}

type AddOptions = JsonOption & { name: string; expires?: string };

function registerAdd(token: Command): void {
  token
    .command('add')
    .description('give a user one more token, which is shown only once')
    .argument('<user>', 'the user', parseName)
    .requiredOption('--name <name>', 'what the token is for, such as grafana', parseTokenName)
    .option('--expires <when>', `when it expires (default: never): ${SPAN_FORM}, or ${MOMENT_FORM}`)
    .option('--json', 'print the result as JSON')
    .action(async (username: string, { name, expires, json }: AddOptions) => {
      const end = expires === undefined ? null : readEnd(expires);
      const made = await changeUsers((connection) =>
        makeToken(connection, { username, name, end }),
      );
      const until = { expires: isoOf(made.expires) };
      if (json) return console.log(JSON.stringify({ name, newToken: made.token, ...until }));
      console.error(`User ${username} has a new token ${name}, which ${endText(made)}.`);
      showToken(made.token);
    });
}

function registerList(token: Command): void {
  token
    .command('list')
    .description('show the tokens of a user: when each was made, when it expires and was last used')
    .argument('<user>', 'the user', parseName)
    .option('--json', 'print the result as JSON')
    .action(async (username: string, { json }: JsonOption) => {
      const tokens = await withUsers((connection) => listTokens(connection, username));
      if (json) return console.log(JSON.stringify(tokens.map(jsonOf)));
      for (const each of tokens) console.log(lineOf(each));
    });
}

const jsonOf = ({ name, created, expires, lastUsed }: TokenRow) => ({
  name,
  created: isoOf(created),
  expires: isoOf(expires),
  last_used: isoOf(lastUsed),
});

function lineOf(token: TokenRow): string {
  const { name, created, lastUsed, isExpired, expires } = token;
  const end = isExpired ? `expired ${isoOf(expires)}` : endText(token);
  const use = lastUsed ? `last used ${isoOf(lastUsed)}` : 'never used';
  return `${name}: made ${isoOf(created)}, ${end}, ${use}`;
}

function registerRevoke(token: Command): void {
  token
    .command('revoke')
    .description('take a token from a user; the sessions that it began end')
    .argument('<user>', 'the user', parseName)
    .requiredOption('--name <name>', 'the token', parseName)
    .option('--json', 'print the result as JSON')
    .action(async (username: string, { name, json }: JsonOption & { name: string }) => {
      await changeUsers((connection) => revokeToken(connection, { username, name }));
      if (json) console.log(JSON.stringify({ name: username, revoked: name }));
      else console.log(`Token ${name} of user ${username} is no longer valid.`);
    });
}

type RotateOptions = JsonOption & { name: string; overlap?: string; expires?: string };

export function registerRotate(user: Command): void {
  user
    .command('rotate')
    .description('replace a token of a user by a new one, which is shown only once')
    .argument('<user>', 'the user', parseName)
    .option('--name <name>', 'the token', parseName, FIRST_TOKEN)
    .option(
      '--overlap <span>',
      `how long the former token stays valid, under another name (default: not at all): ${SPAN_FORM}`,
    )
    .option('--expires <when>', 'when the new token expires (default: when the former one does)')
    .option('--json', 'print the result as JSON')
    .action(async (username: string, { name, overlap, expires, json }: RotateOptions) => {
      const overlapSeconds = overlap === undefined ? null : readOverlap(overlap);
      const end = expires === undefined ? undefined : readEnd(expires);
      const { token, former } = await changeUsers((connection) =>
        replaceToken(connection, { username, name, overlapSeconds, end }),
      );
      if (json) {
        const kept = former && { former: { ...former, expires: isoOf(former.expires) } };
        return console.log(JSON.stringify({ name: username, newToken: token, ...kept }));
      }
      if (former) {
        console.error(`The former token is ${former.name}, and ${endText(former)}.`);
      }
      showToken(token);
    });
}

const isoOf = (time: Date | null): string | null => time?.toISOString() ?? null;

const endText = ({ expires }: { readonly expires: Date | null }): string =>
  expires ? `expires ${isoOf(expires)}` : 'never expires';

function parseTokenName(text: string): string {
  if (isTokenName(text)) return text;
  throw new InvalidArgumentError(`It must be ${TOKEN_NAME_FORM}.`);
}

function readEnd(text: string): TokenEnd {
  if (!/^\d+[a-z]+$/i.test(text)) return { at: readMoment('--expires', text) };
  return { inSeconds: readSpan('--expires', text, LIMITS.tokenDays) };
}

const readOverlap = (text: string): number => readSpan('--overlap', text, LIMITS.tokenOverlapDays);

/** Parses a span of an option, which may be at most so many days. */
function readSpan(option: string, text: string, days: number): number {
  const seconds = parseSpan(text);
  if (seconds !== null && seconds <= days * DAY_SECONDS) return seconds;
  throw new UsageError(
    `${option} must be ${SPAN_FORM}, at most ${days}d; got ${JSON.stringify(text)}`,
  );
}
