import { Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import type { Fragments } from './collect-fields.ts';

/** Counts the fields of an operation, with fragments expanded wherever they are spread. */
export function countFields(
  { selectionSet }: OperationDefinitionNode,
  fragments: Fragments,
): number {
  // Counts each fragment once: expanded, a short document may have too many fields to visit.
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const fragment = fragments[name];
    const fields = known.get(name) ?? (fragment ? fieldsIn(fragment.selectionSet) : 0);
    known.set(name, fields);
    return fields;
  };
  const fieldsIn = ({ selections }: SelectionSetNode): number => {
    let fields = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        fields += ofFragment(selection.name.value);
      } else {
        fields += selection.kind === Kind.FIELD ? 1 : 0;
        fields += selection.selectionSet ? fieldsIn(selection.selectionSet) : 0;
      }
    }
    return fields;
  };
  return fieldsIn(selectionSet);
}
