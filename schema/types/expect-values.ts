import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { OperationScope } from '../operation-scope.ts';

/**
 * Announces the values of `items` objects before they are computed, so that an operation with too
 * many ends at once. Each of them is counted when it is completed.
 */
export function expectValues(
  { progress }: OperationScope,
  items: number,
  { fieldNodes, fragments }: GraphQLResolveInfo,
): void {
  const names = new Set<string>();
  for (const { selectionSet } of fieldNodes) {
    if (selectionSet) collectNames(selectionSet, fragments, names);
  }
  progress.expect(items * (1 + names.size));
}

/** Collects the names of fields that are requested whatever the variables are. */
function collectNames(
  { selections }: SelectionSetNode,
  fragments: GraphQLResolveInfo['fragments'],
  names: Set<string>,
): void {
  for (const selection of selections) {
    if (selection.directives && selection.directives.length > 0) continue;
    if (selection.kind === Kind.FIELD) names.add((selection.alias ?? selection.name).value);
    else if (selection.kind === Kind.INLINE_FRAGMENT) {
      collectNames(selection.selectionSet, fragments, names);
    } else {
      const fragment = fragments[selection.name.value];
      if (fragment) collectNames(fragment.selectionSet, fragments, names);
    }
  }
}
