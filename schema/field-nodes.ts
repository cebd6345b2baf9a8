import {
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** One operation of a document, and the fragments that it may use. */
export type AskedDocument = {
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
};

/**
 * The fields of a document that answer at `path`: more than one where the same is asked for twice.
 * Of a document without interfaces, unions and directives: every fragment applies, and counts once
 * (GraphQL specification, "CollectFields").
 */
export function fieldNodesAt(
  { operation, fragments }: AskedDocument,
  path: readonly (string | number)[],
): FieldNode[] {
  let sets: SelectionSetNode[] = [operation.selectionSet];
  let nodes: FieldNode[] = [];
  for (const step of path) {
    if (typeof step === 'number') continue;
    nodes = fieldsNamed(step, sets, fragments);
    sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
  }
  return nodes;
}

function fieldsNamed(
  name: string,
  sets: readonly SelectionSetNode[],
  fragments: AskedDocument['fragments'],
): FieldNode[] {
  const spread = new Set<string>();
  const fieldsIn = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      switch (selection.kind) {
        case Kind.FIELD:
          return (selection.alias ?? selection.name).value === name ? [selection] : [];
        case Kind.INLINE_FRAGMENT:
          return fieldsIn(selection.selectionSet);
        case Kind.FRAGMENT_SPREAD: {
          const fragment = fragments.get(selection.name.value);
          if (!fragment || spread.has(selection.name.value)) return [];
          spread.add(selection.name.value);
          return fieldsIn(fragment.selectionSet);
        }
        default:
          return selection satisfies never;
      }
    });
  return sets.flatMap(fieldsIn);
}
