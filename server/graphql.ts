import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { LIMITS } from '../domain/limits.ts';
import { identify } from '../resolvers/identity.ts';
import type { AnonymousScope, RequestScope } from '../resolvers/request-scope.ts';
import { readCredentials } from '../schema/credentials.ts';
import { renderError, withCode } from '../schema/render-error.ts';
import { schema } from '../schema/schema.ts';
import type { Logger } from './log.ts';
import type { Metrics } from './metrics.ts';
import { observeGraphQL } from './observe-graphql.ts';

/** What the HTTP layer hands to each GraphQL request. */
export type GraphQLServerContext = { readonly anonymous: AnonymousScope };

export const GRAPHQL_PATH = '/graphql';

/** GraphQL over HTTP by Yoga. Explorer, CORS and health have their own places in this server. */
export const createGraphQL = (log: Logger, metrics: Metrics) =>
  createYoga<GraphQLServerContext, RequestScope>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    maxRequestBodySize: LIMITS.graphqlBodyBytes,
    logging: {
      debug: (...args) => log.trace({ args }, 'yoga'),
      info: (...args) => log.debug({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      // Errors are logged where they are rendered, with what lies behind them.
      error: (...args) => log.debug({ args }, 'yoga'),
    },
    context: async ({ request, anonymous }) => openScope(request.headers, anonymous),
    maskedErrors: {
      maskError: (error) =>
        renderError(error, (cause) => log.error({ err: cause }, 'a GraphQL field failed')),
    },
    plugins: [giveBackReads(), givePlans(), giveCodes(), observeGraphQL(metrics)],
  });

/** Decision 11: wrong credentials fail the request whole; with none, only the schema is open. */
async function openScope(headers: Headers, anonymous: AnonymousScope): Promise<RequestScope> {
  const credentials = readCredentials(headers);
  if (!credentials) return { ...anonymous, identity: null };
  const standIns = anonymous.directory.all();
  return { ...anonymous, identity: await identify(anonymous, credentials, standIns) };
}

/** The connections go back once the answer is known: a caller who reads slowly holds none. */
const giveBackReads = (): Plugin<object, GraphQLServerContext> => ({
  async onExecutionResult({ context }) {
    await context.anonymous.reads.end();
  },
});

/**
 * A request that says `"extensions": { "plan": true }` is told in its answer's extensions which
 * blocks its toppers were added up from.
 */
const givePlans = (): Plugin<object, GraphQLServerContext> => ({
  onExecutionResult({ context, result, setResult }) {
    if (context.params.extensions?.['plan'] !== true) return;
    if (result === undefined || Array.isArray(result) || isAsyncIterable(result)) return;
    const { plans } = context.anonymous.reads;
    setResult({ ...result, extensions: { ...result.extensions, plan: plans } });
  },
});

const giveCodes = (): Plugin => ({
  onResultProcess({ result }) {
    const results = Array.isArray(result) ? result : [result];
    for (const each of results) {
      if ('errors' in each) for (const error of each.errors ?? []) withCode(error);
    }
  },
});
