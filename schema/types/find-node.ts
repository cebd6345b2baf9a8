import { brandWithType, type OutputType } from '@pothos/core';
import { GraphQLError } from 'graphql';
import { parseGuid } from '../../domain/text/guid.ts';
import { type ContextView, findContext } from '../../resolvers/contexts.ts';
import { type CounterGroupView, findGroup } from '../../resolvers/counter-groups.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { SchemaTypes } from '../builder.ts';
import { decodeGlobalId, decodeNumber, decodePath, type ObjectPath } from '../global-id.ts';

/**
 * Finds the context of an object's path, and the `depth` names that follow it. Returns null,
 * without an error, for anything that does not exist or is not granted (decisions, section 9):
 * callers cannot distinguish the two.
 */
export async function findContextAt(
  scope: RequestScope,
  path: string,
  depth: number,
): Promise<{ at: ContextView; rest: string[] } | null> {
  const decoded = decodeAt(scope, path, depth);
  if (!decoded) return null;
  const { contextName, nodeName, rest } = decoded;
  const at = await findContext(scope, contextName, { destinationNode: nodeName, fromDr: false });
  return at && { at, rest };
}

/** null also if its context has no such node. */
function decodeAt({ identity }: RequestScope, path: string, depth: number): ObjectPath | null {
  const decoded = decodePath(path);
  if (decoded?.rest.length !== depth) return null;
  const { contextName, nodeName } = decoded;
  const granted = identity?.contexts.get(contextName);
  const isNode = granted?.nodes.some(({ name }) => name === nodeName) ?? true;
  return nodeName === null || isNode ? decoded : null;
}

/**
 * Returns the slice with this global id, in the form that changes use. The primary makes the change
 * whichever node the id names: all nodes have the same slices. null: it cannot be a slice.
 */
export function findSliceToChange(
  scope: RequestScope,
  globalId: string,
): { context: string; sliceId: number } | null {
  const { typename, id } = decodeGlobalId(globalId);
  const path = typename === 'Slice' ? decodeAt(scope, id, 1) : null;
  const sliceId = decodeNumber(path?.rest[0]);
  return path && sliceId !== null ? { context: path.contextName, sliceId } : null;
}

/** Returns the event with this global id in the same way; null: it cannot be an event. */
export function findEventToChange(
  scope: RequestScope,
  globalId: string,
): { context: string; eventId: string } | null {
  const { typename, id } = decodeGlobalId(globalId);
  const path = typename === 'AlertEvent' ? decodeAt(scope, id, 1) : null;
  const eventId = path?.rest[0];
  return path && eventId !== undefined ? { context: path.contextName, eventId } : null;
}

/** Returns the revision in the global id of a rule of a context; null: it cannot be one. */
export function revisionIn(context: string, globalId: string): string | null {
  const { typename, id } = decodeGlobalId(globalId);
  const path = typename === 'Alert' ? decodePath(id) : null;
  return path?.contextName === context ? (path.rest[0] ?? null) : null;
}

/** Like `findContextAt`, for objects below a counter group, whose GUID is the first name. */
export async function findGroupAt(
  scope: RequestScope,
  path: string,
  depth: number,
): Promise<{ group: CounterGroupView; rest: string[] } | null> {
  const found = await findContextAt(scope, path, depth);
  const [text = '', ...rest] = found?.rest ?? [];
  const guid = parseGuid(text);
  const group = found && guid && (await findGroup(found.at, guid));
  return group ? { group, rest } : null;
}

type Load<T> = (id: string, scope: RequestScope) => Promise<T | null>;

/**
 * Returns the loader of the nodes of a type. An error is the value of the one id that it concerns,
 * as GraphQL allows: if it were thrown, `nodes` would have no answer for the other ids either.
 *
 * Marks each object with its type, as Pothos does, too, but only when all ids of its field are
 * loaded: another field with one of these ids would find an object of an unknown type.
 */
export function loadAlone<T>({ name }: Named, load: Load<T>): Load<T> {
  return async (id, scope) => {
    try {
      const found = await load(id, scope);
      brandWithType(found, name as OutputType<PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>>);
      return found;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return new GraphQLError(error.message, { originalError: error }) as T;
    }
  };
}

/** The type of the loaded objects. */
type Named = { readonly name: string };
