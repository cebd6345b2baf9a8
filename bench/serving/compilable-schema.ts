import {
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLIsTypeOfFn,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
} from 'graphql';

/** Checks whether the caller may see an object. Errors: the caller may not. */
type Guard = GraphQLIsTypeOfFn<unknown, unknown>;

/**
 * Changes a schema so that graphql-jit can compile its operations. The types check the caller in
 * `isTypeOf`, which graphql-jit calls without the request's scope, so the fields that return
 * objects check instead. Interfaces are not guarded.
 */
export function makeCompilable(schema: GraphQLSchema): GraphQLSchema {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const guards = new Map(types.map(({ name, isTypeOf }) => [name, isTypeOf]));
  for (const type of types) {
    type.isTypeOf = undefined;
    for (const field of Object.values(type.getFields())) {
      const guard = guards.get(getNamedType(field.type).name);
      if (guard) field.resolve = guarded(field, guard);
    }
  }
  return schema;
}

function guarded(
  { name, resolve }: GraphQLField<unknown, unknown>,
  guard: Guard,
): GraphQLFieldResolver<unknown, unknown> {
  return (source, args, context, info) => {
    const value: unknown = resolve
      ? resolve(source, args, context, info)
      : Reflect.get(Object(source), name);
    return value instanceof Promise
      ? value.then((found: unknown) => checked(found, guard, context, info))
      : checked(value, guard, context, info);
  };
}

/** Returns the value once all objects in it have passed. */
function checked(value: unknown, guard: Guard, context: unknown, info: GraphQLResolveInfo) {
  if (value === null || value === undefined) return value;
  const pending: PromiseLike<boolean>[] = [];
  for (const object of Array.isArray(value) ? value : [value]) {
    const passed = object === null || object === undefined || guard(object, context, info);
    if (typeof passed !== 'boolean') pending.push(passed);
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
