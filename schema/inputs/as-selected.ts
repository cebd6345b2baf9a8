import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { TopperRequest } from '../../resolvers/toppers/topper-plan.ts';

/** Notes whether the document may ask for the number of keys of a topper, or of its `matching`. */
export const asSelected = (
  request: TopperRequest,
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
): TopperRequest => {
  const counts = fieldNodes.some(
    ({ selectionSet }) => selectionSet && selectsKeyCount(selectionSet, fragments),
  );
  return { ...request, withoutCount: !counts };
};

/** Directives may leave the field out, which is not examined. */
const selectsKeyCount = (
  { selections }: SelectionSetNode,
  fragments: GraphQLResolveInfo['fragments'],
): boolean =>
  selections.some((selection) => {
    if (selection.kind === Kind.FIELD) {
      const { name, selectionSet } = selection;
      if (name.value !== 'matching') return name.value === 'keyCount';
      return selectionSet !== undefined && selectsKeyCount(selectionSet, fragments);
    }
    const spread =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
    return spread !== undefined && selectsKeyCount(spread.selectionSet, fragments);
  });
