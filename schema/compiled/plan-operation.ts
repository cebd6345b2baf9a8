import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  isLeafType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  visit,
} from 'graphql';
import { type Collecting, collectFields } from './collect-fields.ts';
import { completerOf, type ObjectPlan } from './completers.ts';
import type { Arguments, FieldPlan } from './field-plan.ts';
import { quoted } from './json-text.ts';
import type { TypeGuard } from './type-scopes.ts';

/** A schema, and what its types require of callers that request their objects. */
export type GuardedSchema = {
  readonly schema: GraphQLSchema;
  readonly guards: ReadonlyMap<string, TypeGuard>;
};

/** What planning an operation needs. */
export type Planning = GuardedSchema & Collecting;

/** Plans the root fields of an operation; the fields below are planned when they are reached. */
export function planOperation(
  planning: Planning,
  { operation, selectionSet }: OperationDefinitionNode,
): readonly FieldPlan[] {
  const { schema } = planning;
  const root = schema.getRootType(operation);
  if (!root) throw new Error(`the schema has no type for a ${operation}`);
  let number = 0;
  const planFields = (type: GraphQLObjectType, sets: readonly SelectionSetNode[]): FieldPlan[] => {
    const fields: FieldPlan[] = [];
    for (const [name, nodes] of collectFields(planning, type, sets)) {
      const [node] = nodes;
      const definition = node && definitionOf(schema, type, node);
      if (!definition) continue;
      fields.push({
        number,
        name,
        lead: `${fields.length === 0 ? '' : ','}${quoted(name)}:`,
        nodes,
        definition,
        parentType: type,
        args: constantArguments(definition, node),
        isComposite: isComposite(definition),
        hasTimeLimit: definition.args.some((each) => each.name === 'timeoutSeconds'),
        isNonNull: isNonNullType(definition.type),
        complete: completerOf(
          {
            title: `${type.name}.${definition.name}`,
            nodes,
            planOf: (below) => planObjects(below, nodes),
          },
          definition.type,
        ),
      });
      number += 1;
    }
    return fields;
  };
  const planObjects = (type: GraphQLObjectType, nodes: readonly FieldNode[]): ObjectPlan => {
    let planned: readonly FieldPlan[] | undefined;
    const fields = (): readonly FieldPlan[] => {
      planned ??= planFields(
        type,
        nodes.flatMap((node) => node.selectionSet ?? []),
      );
      return planned;
    };
    return { fields, guard: planning.guards.get(type.name) };
  };
  return planFields(root, [selectionSet]);
}

type Definition = GraphQLField<unknown, unknown>;

function definitionOf(
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  { name: { value: name } }: FieldNode,
): Definition | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
  const metaFields = type === schema.getQueryType() ? META_FIELDS : [];
  return metaFields.find((each) => each.name === name) ?? type.getFields()[name];
}

/** The fields of introspection, which only the query type has. */
const META_FIELDS: readonly Definition[] = [SchemaMetaFieldDef, TypeMetaFieldDef];

const isComposite = ({ type }: Definition): boolean =>
  !isLeafType(isNonNullType(type) ? type.ofType : type);

/** null: they depend on variables, or are invalid, which is an error of the field in each run. */
function constantArguments(definition: Definition, node: FieldNode): Arguments | null {
  if (hasVariables(node)) return null;
  try {
    return getArgumentValues(definition, node);
  } catch {
    return null;
  }
}

function hasVariables({ arguments: given = [] }: FieldNode): boolean {
  let has = false;
  for (const argument of given) {
    visit(argument, {
      [Kind.VARIABLE]() {
        has = true;
      },
    });
  }
  return has;
}
