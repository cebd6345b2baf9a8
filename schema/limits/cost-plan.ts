import {
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  visit,
} from 'graphql';
import { type Given, LIST_PRICE, PRICES, type Price } from './prices.ts';
import { fragmentsOf, inSpreadOrder } from './spread-order.ts';

/** Coerced variables by name. */
export type Variables = Record<string, unknown>;

/** A field with a price, or the name of a fragment; other selections cost nothing. */
export type CostStep = PricedField | string;

export type PricedField = {
  readonly price: Price;
  readonly given: GivenBy;
  readonly below: readonly CostStep[];
};

/**
 * Reads the arguments of a field. null: one of them does not fit its type. Validation or execution
 * refuses the field then, so nothing is read for it or below it.
 */
type GivenBy = (variables: Variables) => Given | null;

/** A document without everything that costs nothing. */
export type CostPlan = {
  /** Ordered so that each fragment comes after the fragments that it spreads. */
  readonly fragments: readonly (readonly [name: string, steps: readonly CostStep[]])[];
  readonly operations: ReadonlyMap<OperationDefinitionNode, readonly CostStep[]>;
};

/**
 * Plans the cost of a document, in time linear in its size. The document need not be valid: unknown
 * fields cost nothing.
 */
export function planCost(schema: GraphQLSchema, document: DocumentNode): CostPlan {
  const fragments = new Map(
    [...fragmentsOf(document)].map(([name, { typeCondition, selectionSet }]) => [
      name,
      stepsOf(schema, typeCondition.name.value, selectionSet),
    ]),
  );
  const order = inSpreadOrder(fragments.keys(), (name) => spreadsIn(fragments.get(name) ?? []));
  const operations = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => {
      const root = schema.getRootType(operation.operation)?.name ?? '';
      return [operation, stepsOf(schema, root, operation.selectionSet)] as const;
    });
  return {
    fragments: order.map((name) => [name, fragments.get(name) ?? []]),
    operations: new Map(operations),
  };
}

const spreadsIn = (steps: readonly CostStep[]): string[] =>
  steps.flatMap((step) => (typeof step === 'string' ? [step] : spreadsIn(step.below)));

const stepsOf = (schema: GraphQLSchema, parent: string, set: SelectionSetNode): CostStep[] =>
  set.selections.flatMap((selection) => stepsOfSelection(schema, parent, selection));

function stepsOfSelection(
  schema: GraphQLSchema,
  parent: string,
  selection: SelectionNode,
): CostStep[] {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return [selection.name.value];
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    return stepsOf(schema, selection.typeCondition?.name.value ?? parent, selection.selectionSet);
  }
  const field = fieldOf(schema, parent, selection.name.value);
  if (!field) return [];
  const below = selection.selectionSet
    ? stepsOf(schema, getNamedType(field.type).name, selection.selectionSet)
    : [];
  const price = PRICES[`${parent}.${field.name}`] ?? defaultPrice(field);
  return price ? [{ price, given: argumentsOf(field, selection), below }] : below;
}

function fieldOf(
  schema: GraphQLSchema,
  parent: string,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  const type = schema.getType(parent);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}

/** null: the field costs as much as what is below it. */
function defaultPrice({ type }: GraphQLField<unknown, unknown>): Price | null {
  const lists = isListType(getNullableType(type)) && isCompositeType(getNamedType(type));
  return lists ? LIST_PRICE : null;
}

/** Literals, variables and defaults are coerced as execution does, so they cost the same. */
function argumentsOf(field: GraphQLField<unknown, unknown>, node: FieldNode): GivenBy {
  const read: GivenBy = (variables) => {
    const values = argumentValues(field, node, variables);
    return values && ((name) => values[name]);
  };
  if (hasVariables(node)) return read;
  const constant = read({});
  return () => constant;
}

function argumentValues(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  variables: Variables,
): Readonly<Record<string, unknown>> | null {
  try {
    return getArgumentValues(field, node, variables);
  } catch (error) {
    if (error instanceof GraphQLError) return null;
    throw error;
  }
}

const hasVariables = ({ arguments: nodes = [] }: FieldNode): boolean => {
  let has = false;
  const note = () => {
    has = true;
  };
  for (const node of nodes) visit(node, { Variable: note });
  return has;
};
