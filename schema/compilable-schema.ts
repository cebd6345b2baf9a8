import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';
import type { RequestScope } from '../resolvers/request-scope.ts';

type Field = GraphQLFieldConfig<unknown, RequestScope>;

/** Whether the caller may see an object. Errors: they may not. */
type Guard = (
  value: unknown,
  scope: RequestScope,
  info: GraphQLResolveInfo,
) => boolean | Promise<boolean>;

/**
 * The schema in a form whose operations can be compiled. The scopes of a type are asked for in its
 * `isTypeOf`, which compiled code calls without the request's scope; here the fields that return
 * objects ask for them. Interfaces are not guarded: operations that use one must not be compiled.
 */
export const compilableSchema = (schema: GraphQLSchema): GraphQLSchema =>
  mapSchema(schema, {
    [MapperKind.OBJECT_TYPE]: (type) =>
      new GraphQLObjectType({ ...type.toConfig(), isTypeOf: null }),
    [MapperKind.OBJECT_FIELD]: (field: Field) => {
      const returned = getNamedType(field.type);
      const type = schema.getType(returned.name);
      if (!isObjectType(type) || !type.isTypeOf) return field;
      return { ...field, resolve: guarded(field.resolve, type.isTypeOf) };
    },
  });

function guarded(
  resolve: Field['resolve'],
  guard: Guard,
): GraphQLFieldResolver<unknown, RequestScope> {
  return (source, args, scope, info) => {
    const value: unknown = resolve
      ? resolve(source, args, scope, info)
      : Reflect.get(Object(source), info.fieldName);
    return value instanceof Promise
      ? value.then((found: unknown) => checked(found, guard, scope, info))
      : checked(value, guard, scope, info);
  };
}

/** The value, once all objects in it have passed. */
function checked(
  value: unknown,
  guard: Guard,
  scope: RequestScope,
  info: GraphQLResolveInfo,
): unknown {
  if (value === null || value === undefined) return value;
  const pending: Promise<boolean>[] = [];
  for (const object of Array.isArray(value) ? value : [value]) {
    const passed = object === null || object === undefined || guard(object, scope, info);
    if (passed instanceof Promise) pending.push(passed);
    else assertPassed(passed);
  }
  if (pending.length === 0) return value;
  return Promise.all(pending).then((all) => {
    for (const passed of all) assertPassed(passed);
    return value;
  });
}

function assertPassed(passed: boolean): void {
  if (!passed) throw new Error('a resolver returned an object of another type');
}
