import {
  createGraphQLError,
  isAsyncIterable,
  type Plugin,
  type YogaInitialContext,
} from 'graphql-yoga';
import { serviceError } from '../../domain/errors.ts';
import {
  hasSuggestion,
  mayIntrospect,
  withoutSuggestion,
} from '../../schema/documents/introspection.ts';
import type { GraphQLLimits } from '../../schema/limits/graphql-limits.ts';
import { parseDocument } from '../../schema/limits/parse-document.ts';
import { abortedFault, nestingFault, requestFault } from '../../schema/limits/request-fault.ts';
import type { Settings } from '../settings/settings.ts';

export const limitsOf = ({ graphql, ...settings }: Settings): GraphQLLimits => ({
  ...graphql,
  topperItems: settings.maxTopperItems,
  percentileRanks: settings.maxPercentileRanks,
});

/** Decision 1: a JSON body must be an object. A batch could contain any number of requests. */
const batchRefused = () =>
  serviceError('unreadableBody', {
    'what is wrong': 'it must be a JSON object, a list of requests is not supported',
  });

/**
 * Enforces the limits of a request, each as early as possible. Checks before validation throw: the
 * results of validation are cached for the document, and variables are not part of the document.
 */
export function limitRequests(settings: Settings): Plugin {
  const limits = limitsOf(settings);
  return {
    onRequestParse: () => ({
      onRequestParseDone({ requestParserResult }) {
        if (Array.isArray(requestParserResult)) throw batchRefused();
      },
    }),
    onParams({ params }) {
      const fault = nestingFault(params);
      if (fault) throw fault;
    },
    onParse({ setParseFn }) {
      setParseFn((source) => parseDocument(source, limits));
    },
    onValidate({ params, context }) {
      const { operationName, variables } = context.params;
      const document = params.documentAST;
      const fault = requestFault({ document, operationName, variables }, limits);
      if (fault) throw fault;
      return ({ result, setResult }) => {
        const aborted = abortedFault(result);
        if (aborted) setResult([aborted]);
      };
    },
    onResultProcess({ result }) {
      // Yoga marks errors of documents so that a JSON response has the status 200 despite them.
      const [error] = 'errors' in result ? (result.errors ?? []) : [];
      const http = error?.extensions['code'] === 'LIMIT' ? error.extensions['http'] : null;
      if (http) Object.assign(http, { spec: false });
    },
  };
}

/** Hides the schema's names from callers who may not see it. `isSignedIn` is called only if needed. */
export function guardSchema<Context extends object>(
  { introspection: mode }: Settings,
  isSignedIn: (context: Context & YogaInitialContext) => Promise<boolean>,
): Plugin<object, Context> {
  if (mode === 'on') return {};
  return {
    async onExecutionResult({ context, result, setResult }) {
      if (!result || Array.isArray(result) || isAsyncIterable(result)) return;
      const { errors = [] } = result;
      if (!errors.some(hasSuggestion)) return;
      const signedIn = mode === 'signed-in' && (await isSignedIn(context));
      if (mayIntrospect(mode, signedIn)) return;
      setResult({ ...result, errors: errors.map(withoutSuggestion) });
    },
  };
}

/** Whether `variables` and `extensions` are JSON within text: in URLs and in form bodies. */
const standsInText = (request: Request): boolean =>
  request.method === 'GET' ||
  (request.headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');

/** Reports invalid JSON there as the caller's mistake. Yoga would report a defect of the server. */
export const parseUrlValues = (): Plugin => ({
  onRequestParse({ request, requestParser, setRequestParser }) {
    if (!requestParser || !standsInText(request)) return;
    setRequestParser(async (given) => {
      try {
        return await requestParser(given);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        throw createGraphQLError('variables and extensions must be JSON objects', {
          extensions: { code: 'BAD_USER_INPUT', http: { status: 400 } },
        });
      }
    });
  },
});
