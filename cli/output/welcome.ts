import { shellWord } from '../../domain/text/shell-word.ts';
import type { Settings } from '../../server/settings/settings.ts';
import { demoCommand } from '../demo-command.ts';
import { invocation } from '../invocation.ts';

type Credentials = { readonly username: string; readonly token: string };

export type ShownDemo = {
  readonly demo: Credentials | null;
  /** Whether the demo was requested but not created, because the database is in use. */
  readonly isLeftOut: boolean;
};

/** GUID of the Hosts group, which every flow import creates, and so does the demo. */
const HOSTS = '%7B4CD742B1-C1CA-4708-BE78-0FCA2EB01A86%7D';

/** Returns what a newcomer sees once the server accepts requests. Its first line is a contract. */
export function welcome(
  url: string,
  { demo, isLeftOut }: ShownDemo,
  { dashboard, explorer }: Pick<Settings, 'dashboard' | 'explorer'>,
): string {
  const ready = `countergraph is ready at ${url}`;
  const page = dashboard === 'on' ? [`  Dashboard ${url}/`] : [];
  const graphql = `  ${explorer === 'on' ? 'Explorer' : 'GraphQL '}  ${url}/graphql`;
  const uses = demo ? demoLines(url, demo) : useLines(isLeftOut);
  return [ready, '', ...page, graphql, ...uses, ''].join('\n');
}

function demoLines(url: string, { username, token }: Credentials): string[] {
  // The token goes in a header, as in the docs: addresses are kept in logs and histories.
  const curl = `curl -u ${shellWord(`${username}:${token}`)}`;
  return [
    `  User      ${username}`,
    `  Token     ${token}`,
    '',
    '  The legacy REST endpoints, on the demo context:',
    `  ${curl} '${url}/api/time_slices/time_slices_request?context=demo&get_total_window=true'`,
    `  ${curl} '${url}/api/counter_group_info/counter_group_info_request?context=demo&get_meter_info=true'`,
    `  ${curl} '${url}/api/topper/topper_request?context=demo&counter_group=${HOSTS}&recentsecs=3600&maxitems=5'`,
    '',
    '  Ctrl-C ends it.',
  ];
}

function useLines(isDemoLeftOut: boolean): string[] {
  const command = invocation();
  const demo = `  The demo:             ${demoCommand()} (this database is in use)`;
  return [
    '',
    `  A user with a token:  ${command} user add NAME --context CONTEXT`,
    `  Data of your own:     ${command} import --context CONTEXT --format zeek conn.log`,
    ...(isDemoLeftOut ? [demo] : []),
  ];
}
