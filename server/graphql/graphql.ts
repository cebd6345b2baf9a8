import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql';
import { createYoga, isAsyncIterable, type Plugin } from 'graphql-yoga';
import { ServiceError } from '../../domain/errors.ts';
import type { AnonymousScope, RequestScope } from '../../resolvers/request-scope.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { renderError, withCode } from '../../schema/documents/render-error.ts';
import { schema } from '../../schema/schema.ts';
import type { Documents } from '../documents/documents.ts';
import { parsedDocuments } from '../documents/parsed-documents.ts';
import { GRAPHQL_PATH } from '../http/graphql-path.ts';
import type { Settings } from '../settings/settings.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type GraphQLServerContext, openGraphQLScope } from './graphql-scope.ts';
import { guardSchema, limitRequests } from './guard-graphql.ts';
import { observeGraphQL } from './observe-graphql.ts';
import { openSubscriptions } from './open-subscriptions.ts';
import { parseUrlValues } from './parse-url-values.ts';
import { runOrRemember } from './remembered-results.ts';

export type GraphQLOptions = {
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly compiled: CompiledQueries;
  readonly documents: Documents;
};

/**
 * GraphQL over HTTP by Yoga. Explorer, CORS, health and the size of bodies have their own places in
 * this server; what is asked for often is answered by `hot-graphql.ts`, with the same results.
 */
export const createGraphQL = ({ log, settings, metrics, ...known }: GraphQLOptions) =>
  createYoga<GraphQLServerContext, RequestScope>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    graphiql: false,
    landingPage: false,
    cors: false,
    multipart: false,
    batching: false,
    parserAndValidationCache: parsedDocuments(),
    // It would send every body through a stream; the HTTP layer has bounded it.
    maxRequestBodySize: false,
    logging: {
      debug: (...args) => log.trace({ args }, 'yoga'),
      info: (...args) => log.debug({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      // Errors are logged where the answer is made, with what lies behind them.
      error: () => {},
    },
    context: async ({ request, anonymous }) => openGraphQLScope(request.headers, anonymous),
    maskedErrors: { maskError: renderError },
    extraParamNames: ['documentId'],
    plugins: [
      parseUrlValues(),
      findDocuments(known.documents),
      limitRequests(settings),
      guardSchema(settings, isSignedIn),
      openSubscriptions(),
      runCompiled(known.compiled),
      giveBackReads(),
      givePlans(),
      giveCodes(),
      observeGraphQL(metrics),
    ],
  });

/** Puts the text in place of a document's hash, and remembers what signed-in callers register. */
const findDocuments = (
  documents: Documents,
): Plugin<RequestScope, GraphQLServerContext, RequestScope> => ({
  onParams({ params, setParams }) {
    const query = documents.textOf(params);
    if (query !== null) setParams({ ...params, query });
  },
  onExecute({ args }) {
    const { params, identity } = args.contextValue;
    if (identity && typeof params.query === 'string') documents.register(params, params.query);
  },
});

/**
 * Runs the compiled form of what is asked for often; variables are coerced by graphql-js first,
 * which runs all else. Yoga's own executor takes an object with a field `then` for a promise, and
 * does not know a variable `__proto__`.
 */
const runCompiled = (
  compiled: CompiledQueries,
): Plugin<RequestScope, GraphQLServerContext, RequestScope> => ({
  onExecute({ args, setExecuteFn }) {
    const { query: text, operationName = null, variables, extensions } = args.contextValue.params;
    if (typeof text !== 'string') return;
    const query = compiled.note({ text, document: args.document, operationName });
    const coerced = query && compiled.coerce(query, variables ?? {});
    if (!query || !coerced) {
      setExecuteFn(executeWithStatus);
      return;
    }
    const asked = {
      query,
      operationName,
      variables: variables ?? {},
      coerced,
      extensions: extensions ?? null,
    };
    setExecuteFn(() => runOrRemember(args.contextValue, asked));
  },
});

/** As graphql-js; what cannot be executed, as its variables are wrong, has the status 400. */
async function executeWithStatus(args: ExecutionArgs): Promise<ExecutionResult> {
  const result = await execute(args);
  const isRun = result.data !== undefined;
  return isRun ? result : { ...result, extensions: { http: { status: 400 } } };
}

/** Asked when a document was refused, before anybody asked who sent it. */
const isSignedIn = async ({ request, anonymous }: GraphQLServerContext & { request: Request }) => {
  try {
    return (await openGraphQLScope(request.headers, anonymous)).identity !== null;
  } catch (error) {
    // Wrong credentials, or nobody to ask: either way it is not known.
    if (error instanceof ServiceError) return false;
    throw error;
  }
};

/** The connections go back once the answer is known: a caller who reads slowly holds none. */
const giveBackReads = (): Plugin<object, GraphQLServerContext> => ({
  async onExecutionResult({ context }) {
    await context.anonymous.reads.end();
  },
});

const givePlans = (): Plugin<object, GraphQLServerContext> => ({
  onExecutionResult({ context, result, setResult }) {
    if (result === undefined || Array.isArray(result) || isAsyncIterable(result)) return;
    setResult(withPlans(result, context.params.extensions, context.anonymous));
  },
});

/**
 * A request that says `"extensions": { "plan": true }` is told in its answer's extensions which
 * blocks its toppers were added up from.
 */
export function withPlans(
  result: ExecutionResult,
  asked: Readonly<Record<string, unknown>> | null | undefined,
  { reads }: AnonymousScope,
): ExecutionResult {
  if (asked?.['plan'] !== true) return result;
  return { ...result, extensions: { ...result.extensions, plan: reads.plans } };
}

const giveCodes = (): Plugin => ({
  onResultProcess({ result }) {
    const results = Array.isArray(result) ? result : [result];
    for (const each of results) {
      if ('errors' in each) for (const error of each.errors ?? []) withCode(error);
    }
  },
});
