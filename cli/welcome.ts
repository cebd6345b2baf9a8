import type { Settings } from '../server/settings.ts';

type Credentials = { readonly username: string; readonly token: string };

/** The Hosts group that every flow import makes, and so the demo has. */
const HOSTS = '%7B4CD742B1-C1CA-4708-BE78-0FCA2EB01A86%7D';

/** What a newcomer sees once the server accepts requests. Its first line is a contract. */
export function welcome(
  url: string,
  demo: Credentials | null,
  { dashboard, explorer }: Pick<Settings, 'dashboard' | 'explorer'>,
): string {
  const ready = `countergraph is ready at ${url}`;
  const page = dashboard === 'on' ? [`  Dashboard ${url}/`] : [];
  const graphql = `  ${explorer === 'on' ? 'Explorer' : 'GraphQL '}  ${url}/graphql`;
  return [ready, '', ...page, graphql, ...(demo ? demoLines(url, demo) : USE_IT), ''].join('\n');
}

function demoLines(url: string, { username, token }: Credentials): string[] {
  const query = `username=${username}&api_token=${token}&context=demo`;
  return [
    `  User      ${username}`,
    `  Token     ${token}`,
    '',
    '  The legacy REST endpoints, on the demo context:',
    `  curl '${url}/api/time_slices/time_slices_request?${query}&get_total_window=true'`,
    `  curl '${url}/api/counter_group_info/counter_group_info_request?${query}&get_meter_info=true'`,
    `  curl '${url}/api/topper/topper_request?${query}&counter_group=${HOSTS}&recentsecs=3600&maxitems=5'`,
    '',
    '  Ctrl-C ends it.',
  ];
}

const USE_IT = [
  '',
  '  A user with a token:  countergraph user add NAME --context CONTEXT',
  '  Data of your own:     countergraph import --context CONTEXT --format zeek conn.log',
];
