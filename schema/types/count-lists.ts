import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isListType,
  isObjectType,
} from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { takeValues } from './take-values.ts';

/** Lists of values rather than of objects, which take these from the budget themselves. */
const COUNTED: ReadonlySet<string> = new Set([
  'Topper.keys',
  'Topper.series',
  'Topper.flatSeries',
  'TopperKey.percentiles',
  'TopperKey.series',
]);

/** Objects that each object of a long list may have, as expensive as an element of a list. */
const ONE_EACH: ReadonlySet<string> = new Set(['Key.drilldown', 'TopperKey.drilldown']);

/** An object that may be anywhere in the graph takes as much memory as so many values. */
const OBJECT_VALUES = 50;

type Field = GraphQLField<unknown, RequestScope>;

/**
 * Makes all other lists of objects, and `ONE_EACH`, take their values from the answer's budget, and
 * yield to other requests if the answer is large. A request's price assumes their lengths before it
 * is known how long they are, and lists that contain each other (a group's meters, and the group of
 * each of these) multiply the mistake. Changes the schema.
 */
export function countLists(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`;
      if (ONE_EACH.has(name)) countObject(field);
      else if (isListOfObjects(field) && !COUNTED.has(name)) countList(field);
    }
  }
  return schema;
}

const isListOfObjects = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && isCompositeType(getNamedType(type));

function countList(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, scope, info) => {
    const found: unknown = resolve(source, args, scope, info);
    return found instanceof Promise
      ? found.then((list: unknown) => counted(list, scope, info))
      : counted(found, scope, info);
  };
}

function countObject(field: Field): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, scope, info) => {
    takeValues(scope, 1, info, OBJECT_VALUES);
    const find = () => resolve(source, args, scope, info);
    return scope.pace.begin(1)?.then(find) ?? find();
  };
}

function counted(list: unknown, scope: RequestScope, info: GraphQLResolveInfo): unknown {
  if (!Array.isArray(list)) return list;
  takeValues(scope, list.length, info, OBJECT_VALUES);
  return scope.pace.begin(list.length)?.then(() => list) ?? list;
}
