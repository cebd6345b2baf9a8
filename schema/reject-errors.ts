import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
} from 'graphql';
import type { RequestScope } from '../resolvers/request-scope.ts';

type Field = GraphQLField<unknown, RequestScope>;

/**
 * Makes fields that fail at once return a rejected promise instead. If such an error fails an item
 * of a list, graphql-js gives up the list at once, and nobody handles later errors of the items
 * before it: that would end the process. Fields without arguments whose values are scalars only
 * read a property. Changes the schema.
 */
export function rejectErrors(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.args.length > 0 || isCompositeType(getNamedType(field.type))) rejectErrorsOf(field);
    }
  }
  return schema;
}

function rejectErrorsOf(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, scope, info) => {
    try {
      return resolve(source, args, scope, info);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}
