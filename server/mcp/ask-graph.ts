import { type DocumentNode, type ExecutionResult, execute, parse } from 'graphql';
import { type Graph, GraphFault } from '../../mcp/graph.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { withCode } from '../../schema/documents/render-error.ts';
import { requestFault } from '../../schema/limits/request-fault.ts';
import { schema } from '../../schema/schema.ts';
import { limitsOf } from '../graphql/guard-graphql.ts';
import { masked } from '../graphql/hot-graphql.ts';
import { noteErrors } from '../graphql/observe-graphql.ts';
import type { Exchange } from '../http/http-exchange.ts';
import type { Service } from '../service/service.ts';

/** The parsed documents of the tools, which are few and fixed. */
const parsed = new Map<string, DocumentNode>();

function documentOf(text: string): DocumentNode {
  const known = parsed.get(text);
  if (known) return known;
  const document = parse(text);
  parsed.set(text, document);
  return document;
}

/** Executes documents for one caller within the limits of a GraphQL request, in one snapshot. */
export function askGraph(service: Service, scope: RequestScope, exchange: Exchange): Graph {
  const limits = limitsOf(service.settings);
  const run = async (text: string, variableValues: Record<string, unknown>) => {
    const document = documentOf(text);
    const request = { document, operationName: null, variables: variableValues };
    const fault = requestFault(request, limits);
    if (fault) return { errors: [fault] };
    return masked(await execute({ schema, document, variableValues, contextValue: scope }));
  };
  return {
    async ask<Data>(text: string, variables: Readonly<Record<string, unknown>>): Promise<Data> {
      const given = Object.entries(variables).filter(([, value]) => value !== undefined);
      const result: ExecutionResult = await run(text, Object.fromEntries(given));
      const { errors = [], data } = result;
      for (const error of errors) withCode(error);
      noteErrors(service.metrics, { anonymous: scope, exchange }, result);
      const first = errors[0];
      if (!first) return data as Data;
      const messages = new Set(errors.map(({ message }) => message));
      throw new GraphFault([...messages].join('; '), String(first.extensions['code']));
    },
  };
}
