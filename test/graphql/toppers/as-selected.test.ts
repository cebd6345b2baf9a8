import { type FieldNode, type FragmentDefinitionNode, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { TopperRequest } from '../../../resolvers/toppers/topper-plan.ts';
import { asSelected } from '../../../schema/inputs/as-selected.ts';

/** Returns what a resolver of the first field of a document learns about it. */
function infoOf(document: string) {
  const { definitions } = parse(document);
  const fieldNodes: FieldNode[] = [];
  const fragments: Record<string, FragmentDefinitionNode> = {};
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const [field] = definition.selectionSet.selections;
    if (field?.kind === Kind.FIELD) fieldNodes.push(field);
  }
  return { fieldNodes, fragments };
}

// Only this property is looked at or changed.
const REQUEST = { withoutCount: false } as TopperRequest;

describe('the number of keys of a topper', () => {
  it.each([
    ['{ topper { total keyCount } }', true],
    ['{ topper { total n: keyCount } }', true],
    ['{ topper { ... { ... on Topper { keyCount } } } }', true],
    ['{ topper { ...a } } fragment a on Topper { ...b } fragment b on Topper { keyCount }', true],
    ['query ($n: Boolean!) { topper { keyCount @include(if: $n) } }', true],
    ['{ topper { total keyCount: others keys { rank } } }', false],
    ['{ topper { ...a } } fragment a on Topper { others }', false],
  ])('is needed if a document may ask for it: %s', (document, isNeeded) => {
    expect(asSelected(REQUEST, infoOf(document)).withoutCount).toBe(!isNeeded);
  });
});
