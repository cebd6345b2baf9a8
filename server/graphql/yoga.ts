import type { DocumentNode, ExecutionResult } from 'graphql';
import { createYoga, type Plugin, type YogaInitialContext } from 'graphql-yoga';
import { ServiceError } from '../../domain/errors.ts';
import { textOf } from '../../domain/text/long-text.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { renderError, withCode } from '../../schema/documents/render-error.ts';
import { schema } from '../../schema/schema.ts';
import { GRAPHQL_PATH } from '../http/paths.ts';
import type { Settings } from '../settings/settings.ts';
import type { FailureLog, Logger } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Documents, parsedDocuments } from './documents.ts';
import { type GraphQLServerContext, openGraphQLScope } from './graphql-scope.ts';
import { guardSchema, limitRequests, parseUrlValues } from './guard-graphql.ts';
import { observeGraphQL } from './observe-graphql.ts';
import { openSubscriptions } from './open-subscriptions.ts';
import { bodyOf, placeholderOf, plansOf } from './render-result.ts';
import { type CachedOutcome, runCached, runOperation } from './run-operation.ts';

type GraphQLOptions = {
  readonly log: Logger;
  readonly settings: Settings;
  readonly metrics: Metrics;
  readonly failures: FailureLog;
  readonly compiled: CompiledQueries;
  readonly documents: Documents;
};

/**
 * Creates GraphQL over HTTP with Yoga. Other parts of this server handle the explorer, CORS, health
 * checks and the size of bodies. `fast-path.ts` answers frequent operations, with the same
 * results.
 */
export const createGraphQL = ({ log, settings, metrics, failures, ...known }: GraphQLOptions) =>
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
      openSubscriptions(known.compiled),
      runOperations(known.compiled, settings),
      giveBackReads(),
      giveCodes(),
      observeGraphQL({ metrics, failures }),
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
 * Runs operations. The answer goes to the slot, because Yoga would hold it as one string; Yoga only
 * sees the errors, from which it derives status and headers.
 */
const runOperations = (
  compiled: CompiledQueries,
  settings: Settings,
): Plugin<RequestScope & GraphQLServerContext, GraphQLServerContext, RequestScope> => ({
  onExecute({ args: { document, contextValue }, setExecuteFn }) {
    setExecuteFn(async (): Promise<ExecutionResult & { stringify?: () => string }> => {
      const outcome = await runRequested(compiled, settings, document, contextValue);
      const { anonymous, params, request, slot } = contextValue;
      const { result } = outcome;
      if (result?.data === null) return { ...placeholderOf(result), ...REFUSED };
      const extensions = plansOf(params.extensions, anonymous);
      const body = result ? bodyOf(result, extensions) : outcome.body;
      slot.body = body;
      const shown = result ? placeholderOf(result) : { data: null };
      const mayBeEmbedded = EMBEDDING.test(request.headers.get('accept') ?? '');
      return mayBeEmbedded ? { ...shown, stringify: () => textOf(body) } : shown;
    });
  },
});

/** Media types in which Yoga embeds the JSON of an answer. */
const EMBEDDING = /text\/event-stream|multipart\/mixed/;

/** The operation was not run, as with wrong variables. */
const REFUSED = { extensions: { http: { status: 400 } } };

type Requested = RequestScope & GraphQLServerContext & Pick<YogaInitialContext, 'params'>;

/** Runs the operation that a request names, or returns its cached result. */
async function runRequested(
  compiled: CompiledQueries,
  settings: Settings,
  document: DocumentNode,
  context: Requested,
): Promise<CachedOutcome> {
  const { query: text = '', operationName = null, extensions = null } = context.params;
  const variables = context.params.variables ?? {};
  const requested = { document, operationName };
  try {
    const kept = compiled.note({ text, ...requested });
    if (kept) {
      const request = { operation: kept, operationName, variables, extensions };
      return await runCached(context, settings, request);
    }
    const operation = compiled.compile(requested);
    return { result: await runOperation(context, settings, { operation, variables }) };
  } catch (error) {
    return { result: { data: null, errors: [renderError(error)] } };
  }
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

const giveCodes = (): Plugin => ({
  onResultProcess({ result }) {
    const results = Array.isArray(result) ? result : [result];
    for (const each of results) {
      if ('errors' in each) for (const error of each.errors ?? []) withCode(error);
    }
  },
});
