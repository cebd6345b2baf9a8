import {
  type FieldNode,
  type GraphQLAbstractType,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Path } from './collected-errors.ts';
import type { Completer, FieldPlan, Run, Text } from './field-plan.ts';
import { isPromise } from './is-promise.ts';
import { jsonText } from './json-text.ts';
import { listCompleter } from './list-completer.ts';
import type { TypeGuard } from './type-scopes.ts';

/** The plan for objects of a type at one point of the document. */
export type ObjectPlan = {
  /** Computed for the first object: much of a document may never be reached. */
  readonly fields: () => readonly FieldPlan[];
  readonly guard: TypeGuard | undefined;
};

/** A field with its name in messages and the plans for what is below it. */
export type Completing = {
  readonly title: string;
  readonly nodes: readonly FieldNode[];
  readonly planOf: (type: GraphQLObjectType) => ObjectPlan;
};

/** GraphQL specification, "Value Completion". */
export function completerOf(field: Completing, type: GraphQLOutputType): Completer {
  if (isNonNullType(type)) {
    const complete = completerOf(field, type.ofType);
    return (run, value, path) => {
      if (value !== null && value !== undefined) return complete(run, value, path);
      throw new Error(`Cannot return null for non-nullable field ${field.title}.`);
    };
  }
  if (isLeafType(type)) return leafCompleter(type);
  if (isListType(type)) {
    const isNonNull = isNonNullType(type.ofType);
    const { title, nodes } = field;
    return listCompleter({ title, nodes, isNonNull }, completerOf(field, type.ofType));
  }
  if (isObjectType(type)) return objectCompleter(field.planOf(type));
  if (isAbstractType(type)) return abstractCompleter(field, type);
  throw new Error(`${field.title} has no type that can be completed`);
}

const leafCompleter =
  (type: GraphQLLeafType): Completer =>
  (_run, value) => {
    if (value === null || value === undefined) return 'null';
    if (value instanceof Error) throw value;
    const serialized: unknown = type.serialize(value);
    if (serialized !== null && serialized !== undefined) return jsonText(serialized);
    throw new Error(`${type.name} has no text for a value that is not null`);
  };

const objectCompleter =
  ({ fields, guard }: ObjectPlan): Completer =>
  (run, value, path) => {
    if (value === null || value === undefined) return 'null';
    if (value instanceof Error) throw value;
    guard?.(value, run.scope);
    if (!run.progress.isDue) return run.renderFields(fields(), value, path);
    return run.progress.later(() => run.renderFields(fields(), value, path));
  };

/** Pothos finds the type of an object by its brand, and reads nothing about the field. */
const NO_INFO = {} as GraphQLResolveInfo;

function abstractCompleter(field: Completing, type: GraphQLAbstractType): Completer {
  const completers = new Map<string, Completer>();
  const completeAs = (name: unknown, run: Run, value: unknown, path: Path | undefined): Text => {
    const known = completers.get(String(name));
    if (known) return known(run, value, path);
    const { schema } = run.document;
    const found = typeof name === 'string' ? schema.getType(name) : undefined;
    if (!isObjectType(found) || !schema.isSubType(type, found)) {
      throw new GraphQLError(`${field.title} has a value of no type of ${type.name}`);
    }
    const complete = objectCompleter(field.planOf(found));
    completers.set(found.name, complete);
    return complete(run, value, path);
  };
  return (run, value, path) => {
    if (value === null || value === undefined) return 'null';
    if (value instanceof Error) throw value;
    const name = type.resolveType?.(value, run.scope, NO_INFO, type);
    return isPromise(name)
      ? name.then((found) => completeAs(found, run, value, path))
      : completeAs(name, run, value, path);
  };
}
