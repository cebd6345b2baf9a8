import { type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import type { TopperRequest } from '../../resolvers/toppers/topper-plan.ts';

/** Notes whether the document may ask for the number of keys of a topper. */
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
    if (selection.kind === Kind.FIELD) return selection.name.value === 'keyCount';
    const spread =
      selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
    return spread !== undefined && selectsKeyCount(spread.selectionSet, fragments);
  });
