import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql';
import { LIMITS } from '../../domain/limits.ts';
import type { GraphQLLimits } from './graphql-limits.ts';
import { limitError } from './limit-error.ts';
import { type Measure, measureDocument } from './measure-document.ts';

/**
 * Returns the error of a limit that one of the document's operations exceeds; null: there is none.
 * It depends only on the document, which need not be valid: this check comes before validation,
 * which may be slow.
 */
export function documentFault(document: DocumentNode, limits: GraphQLLimits): GraphQLError | null {
  for (const [operation, measure] of measureDocument(document)) {
    const fault = operationFault(operation, measure, limits);
    if (fault) return fault;
  }
  return null;
}

function operationFault(
  operation: OperationDefinitionNode,
  measure: Measure,
  limits: GraphQLLimits,
): GraphQLError | null {
  const rows: readonly (readonly [string, number, number])[] = [
    ['The depth of the query', limits.depth, measure.depth],
    ['The nesting of the query', LIMITS.graphqlNesting, measure.nesting],
    [
      'The depth of the introspection',
      LIMITS.graphqlIntrospectionDepth,
      measure.introspectionDepth,
    ],
    ['The root fields of the query', limits.rootFields, measure.rootFields],
    ['The aliases of the query', limits.aliases, measure.aliases],
    ['The directives of the query', limits.directives, measure.directives],
  ];
  const over = rows.find(([, limit, given]) => given > limit);
  return over ? limitError(...over, operation) : null;
}
