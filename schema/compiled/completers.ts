import {
  type FieldNode,
  GraphQLError,
  type GraphQLLeafType,
  type GraphQLList,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { addPath, type Path } from './collected-errors.ts';
import type { Completer, FieldPlan, Run, Text } from './field-plan.ts';
import { isPromise } from './is-promise.ts';
import { jsonText } from './json-text.ts';
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

/** GraphQL specification, "Value Completion". Errors: an interface or a union. */
export function completerOf(field: Completing, type: GraphQLOutputType): Completer {
  if (isNonNullType(type)) {
    const complete = completerOf(field, type.ofType);
    return (run, value, path) => {
      if (value !== null && value !== undefined) return complete(run, value, path);
      throw new Error(`Cannot return null for non-nullable field ${field.title}.`);
    };
  }
  if (isLeafType(type)) return leafCompleter(type);
  if (isListType(type)) return listCompleter(field, type);
  if (isObjectType(type)) return objectCompleter(field.planOf(type));
  throw new Error(`${field.title} is of an abstract type`);
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
    return run.renderFields(fields(), value, path);
  };

function listCompleter(field: Completing, list: GraphQLList<GraphQLOutputType>): Completer {
  const renderItem = itemRenderer(field, list.ofType);
  return (run, value, path) => {
    if (value === null || value === undefined) return 'null';
    if (value instanceof Error) throw value;
    if (!isIterable(value)) {
      throw new GraphQLError(`Expected Iterable, but did not find one for field "${field.title}".`);
    }
    const items: Text[] = [];
    let isAtOnce = true;
    try {
      for (const item of value) {
        const text = renderItem(run, item, addPath(path, items.length));
        if (typeof text !== 'string') isAtOnce = false;
        items.push(text);
      }
    } catch (error) {
      // Promises that are still pending may be rejected too, and must be handled.
      if (!isAtOnce) bracketed(items).catch(() => {});
      throw error;
    }
    return isAtOnce ? `[${items.join(',')}]` : bracketed(items);
  };
}

function itemRenderer(field: Completing, type: GraphQLOutputType) {
  const complete = completerOf(field, type);
  const failing = { nodes: field.nodes, isNonNull: isNonNullType(type) };
  return (run: Run, item: unknown, path: Path): Text => {
    try {
      const text = isPromise(item)
        ? item.then((resolved) => complete(run, resolved, path))
        : complete(run, item, path);
      if (typeof text === 'string') return text;
      return text.then(undefined, (error) => run.fail(failing, error, path));
    } catch (error) {
      return run.fail(failing, error, path);
    }
  };
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value;

const bracketed = async (items: readonly Text[]): Promise<string> =>
  `[${(await Promise.all(items)).join(',')}]`;
