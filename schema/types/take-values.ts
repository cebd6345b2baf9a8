import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { RequestScope } from '../../resolvers/request-scope.ts';

/**
 * Takes the requested fields of `items` objects of a list from the answer's budget. `more`: what
 * each object takes besides.
 */
export function takeValues(
  scope: RequestScope,
  items: number,
  info: GraphQLResolveInfo,
  more = 0,
): void {
  let fields = more;
  for (const { selectionSet } of info.fieldNodes) {
    if (selectionSet) fields += fieldsOf(selectionSet, info.fragments);
  }
  scope.budget.take(items * fields);
}

/** Field counts by selection: each is counted once, however often its fragment is spread. */
const known = new WeakMap<SelectionSetNode, number>();

/** Returns how many fields a selection has; a field that is requested twice counts twice. */
function fieldsOf(
  selectionSet: SelectionSetNode,
  fragments: GraphQLResolveInfo['fragments'],
): number {
  const before = known.get(selectionSet);
  if (before !== undefined) return before;
  let fields = 0;
  for (const selection of selectionSet.selections) {
    if (selection.kind === Kind.FIELD) fields += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      fields += fieldsOf(selection.selectionSet, fragments);
    } else {
      const fragment = fragments[selection.name.value];
      if (fragment) fields += fieldsOf(fragment.selectionSet, fragments);
    }
  }
  known.set(selectionSet, fields);
  return fields;
}
