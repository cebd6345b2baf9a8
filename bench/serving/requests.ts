import { CONTEXT, TOKEN, USER } from '../systems/declaration.ts';
import { FROM, GROUPS, guidOf } from './data.ts';
import type { ServerName } from './servers.ts';

export type BenchRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A request to several servers, in several ways to ours. Others are compared with the first. */
export type ServingCase = {
  readonly name: string;
  readonly ways: readonly {
    readonly way: string;
    readonly server: ServerName;
    readonly request: BenchRequest;
  }[];
};

const IDENTITY = { api_token: TOKEN, username: USER, context: CONTEXT };

const rest = (path: string, parameters: Readonly<Record<string, string>> = {}): BenchRequest => ({
  method: 'GET',
  headers: {},
  path: `${path}?${new URLSearchParams({ ...IDENTITY, ...parameters })}`,
});

const authorization = `Basic ${Buffer.from(`${USER}:${TOKEN}`).toString('base64')}`;

const graphql = (
  query: string,
  variables: object = {},
  headers: Readonly<Record<string, string>> = {},
  path = '/graphql',
): BenchRequest => ({
  method: 'POST',
  path,
  body: JSON.stringify({ query, variables }),
  headers: { 'content-type': 'application/json', authorization, ...headers },
});

/** Makes our server pass the request on to Yoga. Anything but plain JSON would do that. */
const THROUGH_YOGA = { accept: 'application/json, */*;q=0.1' };

const restCase = (name: string, request: BenchRequest): ServingCase => ({
  name: `REST ${name}`,
  ways: [
    { way: 'ours', server: 'ours', request },
    { way: 'ours, rendered anew', server: 'oursAnew', request },
    { way: 'bare node:http', server: 'bare', request },
  ],
});

const graphqlCase = (name: string, query: string, variables: object): ServingCase => {
  const request = graphql(query, variables);
  const throughYoga = graphql(query, variables, THROUGH_YOGA);
  return {
    name: `GraphQL ${name}`,
    ways: [
      { way: 'ours, hot', server: 'ours', request },
      { way: 'ours, rendered anew', server: 'oursAnew', request },
      { way: 'ours, by Yoga', server: 'ours', request: throughYoga },
      { way: 'ours, by Yoga, rendered anew', server: 'oursAnew', request: throughYoga },
      { way: 'Mercurius + JIT', server: 'mercurius', request },
      { way: 'Yoga as it comes', server: 'yoga', request },
      { way: 'Apollo Server 5', server: 'apollo', request: graphql(query, variables, {}, '/') },
    ],
  };
};

/** The ways of ours in a case, each next to the same of another version. */
export const besideCase = ({ name, ways }: ServingCase): ServingCase => ({
  name,
  ways: ways.flatMap((each) => {
    if (each.server !== 'ours' && each.server !== 'oursAnew') return [];
    const server = each.server === 'ours' ? 'beside' : 'besideAnew';
    return [each, { ...each, way: `${each.way}, other version`, server } as const];
  }),
});

const WINDOW = { interval: { from: FROM, to: FROM + 3600 } };

const TOPPER = `query ($group: Guid!, $window: WindowInput!) { context(name: "${CONTEXT}") {
  counterGroup(guid: $group) { topper(meter: 0, window: $window, maxItems: 100) {
    total others keys { key readable label metric } } } } }`;

const GROUPS_QUERY = `{ context(name: "${CONTEXT}") { counterGroups { guid name bucketSize topperBucketSize
  timeInterval { from to } meters { index type topCount name description units } } } }`;

const SLICES = `{ context(name: "${CONTEXT}") { name slices { sliceId name status available tags
  timeInterval { from to } } } }`;

const DASHBOARD = `query ($window: WindowInput!) { context(name: "${CONTEXT}") { ${Array.from(
  { length: GROUPS },
  (_, group) =>
    `g${group}: counterGroup(guid: "${guidOf(group)}") { ${[0, 1, 2]
      .map(
        (meter) => `m${meter}: topper(meter: ${meter}, window: $window, maxItems: 10) {
        total others keys { key label metric } }`,
      )
      .join(' ')} }`,
).join(' ')} } }`;

export const CASES: readonly ServingCase[] = [
  restCase(
    'topper of 100 keys',
    rest('/api/topper/topper_request', {
      counter_group: guidOf(0),
      window_fromts: String(FROM),
      window_tots: String(FROM + 3600),
    }),
  ),
  restCase(
    'groups with meters',
    rest('/api/counter_group_info/counter_group_info_request', { get_meter_info: 'true' }),
  ),
  restCase('time slices', rest('/api/time_slices/time_slices_request')),
  graphqlCase('topper of 100 keys', TOPPER, { group: guidOf(0), window: WINDOW }),
  graphqlCase('groups with meters', GROUPS_QUERY, {}),
  graphqlCase('time slices', SLICES, {}),
  graphqlCase('dashboard of 60 toppers', DASHBOARD, { window: WINDOW }),
];
