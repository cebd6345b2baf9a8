import { parseGuid } from '../../domain/text/guid.ts';
import { type ContextView, findContext } from '../../resolvers/contexts.ts';
import { type CounterGroupView, findGroup } from '../../resolvers/counter-groups.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import { decodeGlobalId, decodeNumber, decodePath, type ObjectPath } from '../global-id.ts';

/**
 * The context of an object's path, and `depth` names that lead on from it. null, and no error, for
 * whatever is not there or not granted (decisions, section 9): the two cannot be told apart.
 */
export function findContextAt(
  scope: RequestScope,
  path: string,
  depth: number,
): { at: ContextView; rest: string[] } | null {
  const decoded = decodeAt(scope, path, depth);
  if (!decoded) return null;
  const { contextName, nodeName, rest } = decoded;
  const at = findContext(scope, contextName, { destinationNode: nodeName, fromDr: false });
  return at && { at, rest };
}

/** null also where its context is not granted, or has no such node. */
function decodeAt({ identity }: RequestScope, path: string, depth: number): ObjectPath | null {
  const decoded = decodePath(path);
  if (decoded?.rest.length !== depth) return null;
  const { contextName, nodeName } = decoded;
  const nodes = identity?.contexts.get(contextName)?.nodes ?? [];
  return nodeName === null || nodes.some(({ name }) => name === nodeName) ? decoded : null;
}

/**
 * The slice with this global id as changes name it, which the primary takes whichever node the id
 * is of: nodes have the same slices. null: it can be none.
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

/** As `findContextAt` for what lies below a counter group, whose GUID is the first of the names. */
export async function findGroupAt(
  scope: RequestScope,
  path: string,
  depth: number,
): Promise<{ group: CounterGroupView; rest: string[] } | null> {
  const found = findContextAt(scope, path, depth);
  const [text = '', ...rest] = found?.rest ?? [];
  const guid = parseGuid(text);
  const group = found && guid && (await findGroup(found.at, guid));
  return group ? { group, rest } : null;
}
