import { parseGuid } from '../domain/guid.ts';
import { type ContextView, findContext } from '../resolvers/contexts.ts';
import { type CounterGroupView, findGroup } from '../resolvers/counter-groups.ts';
import type { RequestScope } from '../resolvers/request-scope.ts';
import { decodePath } from './global-id.ts';

/**
 * The context of an object's path, and `depth` names that lead on from it. null, and no error, for
 * whatever is not there or not granted (decisions, section 9): the two cannot be told apart.
 */
export function findContextAt(
  scope: RequestScope,
  path: string,
  depth: number,
): { at: ContextView; rest: string[] } | null {
  const decoded = decodePath(path);
  if (decoded?.rest.length !== depth) return null;
  const { contextName, nodeName, rest } = decoded;
  const nodes = scope.identity?.contexts.get(contextName)?.nodes ?? [];
  if (nodeName !== null && !nodes.some(({ name }) => name === nodeName)) return null;
  const at = findContext(scope, contextName, { destinationNode: nodeName, fromDr: false });
  return at && { at, rest };
}

/** The same for what lies below a counter group, whose GUID is the first of the names. */
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
