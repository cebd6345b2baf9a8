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
 * Creates GraphQL over HTTP with Yoga. Other parts of this server handle the explorer, CORS, health
 * checks and the size of bodies. `hot-graphql.ts` answers frequent operations, with the same
 * results.
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
    // Yoga would pipe every body through a stream; the HTTP layer has already limited its size.
    maxRequestBodySize: false,
    logging: {
      debug: (...args) => log.trace({ args }, 'yoga'),
      info: (...args) => log.debug({ args }, 'yoga'),
      warn: (...args) => log.warn({ args }, 'yoga'),
      // Errors are logged where the result is processed, with their causes.
      error: () => {},
    },
    context: async ({ request, anonymous }) => openGraphQLScope(request.headers, anonymous),
    maskedErrors: { maskError: renderError },
    extraParamNames: ['documentId'],
    plugins: [
      parseUrlValues(),
      limitRequests(settings),
      findDocuments(known.documents),
      guardSchema(settings, isSignedIn),
      openSubscriptions(),
      runCompiled(known.compiled),
      giveBackReads(),
      givePlans(),
      giveCodes(),
      observeGraphQL(metrics),
    ],
  });

/** Replaces a document's hash with its text, and registers the documents of signed-in callers. */
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
 * Runs the compiled form of frequent operations, after graphql-js has coerced their variables.
 * graphql-js executes all others. Yoga's own executor is not used: it takes an object with a field
 * `then` for a promise, and does not know a variable `__proto__`.
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
    const requested = {
      query,
      operationName,
      variables: variables ?? {},
      coerced,
      extensions: extensions ?? null,
    };
    setExecuteFn(() => runOrRemember(args.contextValue, requested));
  },
});

/** Executes with graphql-js. If that is impossible, as with wrong variables, the status is 400. */
async function executeWithStatus(args: ExecutionArgs): Promise<ExecutionResult> {
  const result = await execute(args);
  const isRun = result.data !== undefined;
  return isRun ? result : { ...result, extensions: { http: { status: 400 } } };
}

/** Whether the caller is signed in. Called if a document was refused before the log-in. */
const isSignedIn = async ({ request, anonymous }: GraphQLServerContext & { request: Request }) => {
  try {
    return (await openGraphQLScope(request.headers, anonymous)).identity !== null;
  } catch (error) {
    // The credentials are wrong or could not be checked: either way the caller is unknown.
    if (error instanceof ServiceError) return false;
    throw error;
  }
};

/** Releases the connections once the result is known: a caller who reads slowly holds none. */
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
 * Adds to the extensions of a result which blocks its toppers were added up from, if the request
 * has `"extensions": { "plan": true }`.
 */
export function withPlans(
  result: ExecutionResult,
  requested: Readonly<Record<string, unknown>> | null | undefined,
  { reads }: AnonymousScope,
): ExecutionResult {
  if (requested?.['plan'] !== true) return result;
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
