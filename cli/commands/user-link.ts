import { type Command, InvalidArgumentError } from 'commander';
import { linkUser, unlinkUser } from '../../access/links.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isStorable } from '../../domain/text/storable-text.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { parseName } from '../option-values.ts';
import { UsageError } from '../usage-error.ts';
import { changeUsers } from './with-users.ts';

type LinkOptions = { subject: string; issuer?: string; json?: true };

export function registerLinks(user: Command): void {
  user
    .command('link')
    .description('let a person of the identity provider sign in as this user')
    .argument('<name>', 'the user', parseName)
    .requiredOption('--subject <sub>', 'what the provider calls the person: `sub`', parseSubject)
    .option('--issuer <url>', 'the provider (default: COUNTERGRAPH_OIDC_ISSUER)', parseIssuer)
    .option('--json', 'print the result as JSON')
    .action(async (name: string, { subject, issuer: given, json }: LinkOptions) => {
      const issuer = given ?? readSettings(process.env).oidc?.issuer;
      if (issuer === undefined) {
        throw new UsageError('--issuer is needed where COUNTERGRAPH_OIDC_ISSUER is not set');
      }
      await changeUsers((connection) => linkUser(connection, name, { issuer, subject }));
      if (json) console.log(JSON.stringify({ name, issuer, subject }));
      else console.log(`${subject} of ${issuer} now signs in as user ${name}.`);
    });
  user
    .command('unlink')
    .description('let nobody of the identity provider sign in as this user; their sessions end')
    .argument('<name>', 'the user', parseName)
    .option('--json', 'print the result as JSON')
    .action(async (name: string, { json }: { json?: true }) => {
      await changeUsers((connection) => unlinkUser(connection, name));
      if (json) console.log(JSON.stringify({ name, unlinked: true }));
      else console.log(`Nobody of an identity provider signs in as user ${name} any more.`);
    });
}

function parseSubject(text: string): string {
  if (text !== '' && text.length <= LIMITS.subjectCharacters && isStorable(text)) return text;
  throw new InvalidArgumentError(`It must have 1 to ${LIMITS.subjectCharacters} characters.`);
}

/** Writes it as the settings do. */
function parseIssuer(text: string): string {
  if (URL.canParse(text)) return new URL(text).href;
  throw new InvalidArgumentError('It must be the address of a provider, with https.');
}
