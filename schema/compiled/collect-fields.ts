import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

export type Variables = Readonly<Record<string, unknown>>;

/** What collecting fields needs. Of the variables, only those of @skip and @include count. */
export type Collecting = {
  readonly schema: GraphQLSchema;
  readonly fragments: Fragments;
  readonly variables: Variables;
};

/** Returns the requested fields of an object of `type`, by their names in the answer. */
export function collectFields(
  { schema, fragments, variables }: Collecting,
  type: GraphQLObjectType,
  selectionSets: readonly SelectionSetNode[],
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const applies = (condition: string | undefined): boolean => {
    if (condition === undefined) return true;
    const asked = schema.getType(condition);
    return asked === type || (isAbstractType(asked) && schema.isSubType(asked, type));
  };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (isIncluded(selection, variables)) take(selection);
    }
  };
  const take = (selection: SelectionNode): void => {
    switch (selection.kind) {
      case Kind.FIELD: {
        const name = (selection.alias ?? selection.name).value;
        const nodes = fields.get(name);
        if (nodes) nodes.push(selection);
        else fields.set(name, [selection]);
        return;
      }
      case Kind.INLINE_FRAGMENT:
        if (applies(selection.typeCondition?.name.value)) collect(selection.selectionSet);
        return;
      case Kind.FRAGMENT_SPREAD: {
        const name = selection.name.value;
        const fragment = fragments[name];
        if (spread.has(name) || !fragment) return;
        spread.add(name);
        if (applies(fragment.typeCondition.name.value)) collect(fragment.selectionSet);
        return;
      }
      default:
        selection satisfies never;
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return fields;
}

function isIncluded(node: SelectionNode, variables: Variables): boolean {
  if (!node.directives || node.directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  if (skip?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.['if'] !== false;
}
