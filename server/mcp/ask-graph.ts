import { parse } from 'graphql';
import { textOf } from '../../domain/text/long-text.ts';
import { type Graph, GraphFault } from '../../mcp/graph.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Variables } from '../../schema/compiled/collect-fields.ts';
import type { CompiledOperation } from '../../schema/compiled/compile-operation.ts';
import { CompiledQueries } from '../../schema/compiled/compiled-queries.ts';
import { requestFault } from '../../schema/limits/request-fault.ts';
import { schema } from '../../schema/schema.ts';
import { limitsOf } from '../graphql/guard-graphql.ts';
import { noteErrors } from '../graphql/observe-graphql.ts';
import { type OperationResult, runOperation } from '../graphql/run-operation.ts';
import type { Exchange } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';

/** The documents of the tools, which are few and fixed. */
const compiled = new CompiledQueries(schema, 0);
const operations = new Map<string, CompiledOperation>();

function operationOf(text: string): CompiledOperation {
  const known = operations.get(text);
  if (known) return known;
  const operation = compiled.compile({ document: parse(text), operationName: null });
  operations.set(text, operation);
  return operation;
}

/** Runs documents for one caller within the limits of a GraphQL request, in one snapshot. */
export function askGraph(service: Service, scope: RequestScope, exchange: Exchange): Graph {
  const { settings } = service;
  const limits = limitsOf(settings);
  const run = async (text: string, variables: Variables): Promise<OperationResult> => {
    const operation = operationOf(text);
    const { document } = operation;
    const fault = requestFault({ document, operationName: null, variables }, limits);
    if (fault) return { data: null, errors: [fault] };
    return runOperation(scope, settings, { operation, variables });
  };
  return {
    async ask<Data>(text: string, variables: Readonly<Record<string, unknown>>): Promise<Data> {
      const given = Object.entries(variables).filter(([, value]) => value !== undefined);
      const result = await run(text, Object.fromEntries(given));
      noteErrors(service, { anonymous: scope, exchange }, result);
      const { data, errors } = result;
      const first = errors[0];
      // A tool asks for a hundred objects at most.
      if (!first && data !== null) return JSON.parse(textOf(data)) as Data;
      const messages = new Set(errors.map(({ message }) => message));
      throw new GraphFault([...messages].join('; '), String(first?.extensions['code']));
    },
  };
}
