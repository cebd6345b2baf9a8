import { execute, GraphQLError, getOperationAST, parse, specifiedRules, validate } from 'graphql';
import { renderError, withCode } from '../../../schema/documents/render-error.ts';
import { schema } from '../../../schema/schema.ts';
import { openGraphQLScope } from '../../../server/graphql/graphql-scope.ts';
import { createService } from '../../../server/service/service.ts';
import { withScope } from '../../../server/service/with-scope.ts';
import { readSettings } from '../../../server/settings/settings.ts';
import { createLog } from '../../../server/telemetry/log.ts';
import { collectingStream } from '../http/collecting-stream.ts';
import { unlimited } from './unlimited.ts';

export type Params = {
  readonly query: string;
  readonly operationName?: string;
  readonly variables?: Record<string, unknown>;
};

/** An answer in the form of GraphQL over HTTP. */
export type ReferenceAnswer = { readonly data?: unknown; readonly errors?: readonly object[] };

/** Answers with graphql-js itself, which our own executor has to agree with. */
export function startReference(databaseUrl: string, clock: { readonly seconds: number }) {
  const service = createService({
    settings: readSettings({}),
    databaseUrl,
    log: createLog('silent', collectingStream([])),
    clock: () => clock.seconds * 1000,
  });
  return {
    /** null: the request is refused before it is run. */
    async ask(
      body: Params,
      headers: Readonly<Record<string, string>>,
    ): Promise<ReferenceAnswer | null> {
      // As it arrives: without members that are undefined.
      const { query, operationName, variables }: Params = JSON.parse(JSON.stringify(body));
      const document = parsed(query);
      if (!document || !getOperationAST(document, operationName) || Array.isArray(variables)) {
        return null;
      }
      if (validate(schema, document, specifiedRules).length > 0) return null;
      const request = {
        signal: new AbortController().signal,
        throttle: { caller: '', check: () => undefined, failed: failure, proved: () => undefined },
        current: {
          requestId: 'r',
          from: '127.0.0.1',
          span: null,
          user: null,
          operation: null,
          streamOpened: null,
        },
        log: service.log,
      };
      return withScope(service, request, null, async (anonymous) => {
        const source = { get: (name: string) => headers[name] ?? null };
        const scope = await openGraphQLScope(source, anonymous);
        const { data, errors } = await execute({
          schema,
          document,
          operationName: operationName ?? null,
          variableValues: variables ?? {},
          contextValue: { ...scope, progress: unlimited() },
        });
        return {
          ...(errors && { errors: errors.map(shown) }),
          ...(data !== undefined && { data }),
        };
      });
    },
    close: () => service.close(),
  };
}

function parsed(query: string) {
  try {
    return parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

const failure = (): never => {
  throw new Error('the credentials are wrong');
};

/** As callers see it. */
function shown(error: GraphQLError): object {
  const { message, locations, path, extensions } = withCode(renderError(error));
  const { code } = extensions;
  return JSON.parse(JSON.stringify({ message, locations, path, extensions: { code } }));
}
