import fc from 'fast-check';
import {
  GraphQLBoolean,
  type GraphQLCompositeType,
  type GraphQLField,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';
import type {
  DirectivePlan,
  FieldPlan,
  FragmentPlan,
  SelectionPlan,
  ValuePlan,
} from './document-plan.ts';
import { argumentPlan, type LeafValues, valuePlan } from './random-values.ts';
import { type RandomDocument, writeDocument } from './write-document.ts';

export type RandomDocumentOptions = {
  /** What to draw where the schema alone does not say what makes sense. */
  readonly leaves?: LeafValues;
  /** How deeply fields and fragments may be nested. */
  readonly maxDepth?: number;
  /** The maximum number of fields and fragments in a selection set. */
  readonly maxWidth?: number;
  /** Whether to ask for `__schema` and `__type` too. */
  readonly introspection?: boolean;
  /** Whether fields and fragments may have @skip and @include. */
  readonly directives?: boolean;
};

/**
 * Documents that are valid for the schema, with their variables: fields, arguments as literals, as
 * variables and with variables inside, aliases (including the names of other fields), fields that
 * merge, fragments with and without a name, @skip and @include, several operations.
 */
export function randomDocuments(
  schema: GraphQLSchema,
  options: RandomDocumentOptions = {},
): fc.Arbitrary<RandomDocument> {
  const { maxDepth = 8 } = options;
  const query = schema.getQueryType();
  if (!query) throw new Error('the schema has no query type');
  const operation = drawSelections(schema, options)(query, maxDepth);
  return fc
    .record({
      operations: fc.array(operation, { minLength: 1, maxLength: 2, size: 'max' }),
      isNamed: fc.boolean(),
      chosen: fc.nat({ max: 1 }),
    })
    .map(writeDocument);
}

const CONDITION = new GraphQLNonNull(GraphQLBoolean);

type Draw = (type: GraphQLCompositeType, depth: number) => fc.Arbitrary<SelectionPlan[]>;

/** Selection sets by type and remaining depth; each is made once. */
function drawSelections(schema: GraphQLSchema, options: RandomDocumentOptions): Draw {
  const { leaves = {}, maxWidth = 4, introspection = false } = options;
  const drawn = options.directives === false ? fc.constant([]) : directives();
  const made = new Map<string, fc.Arbitrary<SelectionPlan[]>>();
  const draw: Draw = (type, depth) => {
    const name = `${type.name} ${depth}`;
    const known = made.get(name);
    if (known) return known;
    const selections = fc.array(drawSelection(type, depth), {
      minLength: 1,
      maxLength: maxWidth,
      size: 'max',
    });
    made.set(name, selections);
    return selections;
  };

  function drawSelection(type: GraphQLCompositeType, depth: number): fc.Arbitrary<SelectionPlan> {
    const fields = fieldsOf(schema, type, introspection);
    const flat = fields.filter((field) => isLeafType(getNamedType(field.type)));
    const deep = depth > 1 ? fields.filter((field) => !flat.includes(field)) : [];
    const from = (some: typeof fields) =>
      fc.oneof(...some.map((field) => drawField(type, field, depth)));
    return fc.oneof(
      { weight: 4, arbitrary: from(flat) },
      ...(deep.length > 0 ? [{ weight: 4, arbitrary: from(deep) }] : []),
      ...(depth > 1 ? [{ weight: 2, arbitrary: drawFragment(type, depth) }] : []),
    );
  }

  function drawField(
    owner: GraphQLCompositeType,
    field: GraphQLField<unknown, unknown>,
    depth: number,
  ): fc.Arbitrary<FieldPlan> {
    const type = getNamedType(field.type);
    const entries = field.args.map((argument) => {
      const plan = argumentPlan(`${owner.name}.${field.name}`, argument, leaves);
      return [argument.name, plan] as const;
    });
    const requiredKeys = field.args.filter(isRequiredArgument).map(({ name }) => name);
    const names = Object.keys(fieldsByName(owner));
    return fc.record({
      kind: fc.constant('field' as const),
      field: fc.constant(field),
      alias: fc.option(fc.constantFrom('a', 'b', ...names), { nil: null, freq: 3 }),
      args: fc
        .record(Object.fromEntries(entries), { requiredKeys })
        .map((given) => Object.entries(given)),
      directives: drawn,
      selections: isCompositeType(type) ? draw(type, depthBelow(type, depth)) : fc.constant([]),
    });
  }

  function drawFragment(type: GraphQLCompositeType, depth: number): fc.Arbitrary<FragmentPlan> {
    const plain = fc.record({ on: fc.constant(null), isNamed: fc.constant(false) });
    const within = conditionsOn(schema, type).map((condition) => ({
      on: fc.record({ on: fc.constant(condition.name), isNamed: fc.boolean() }),
      selections: draw(condition, depth - 1),
    }));
    const bodies = [{ on: plain, selections: draw(type, depth - 1) }, ...within];
    return fc.oneof(
      ...bodies.map(({ on, selections }) =>
        fc
          .tuple(on, fc.record({ directives: drawn, selections, mayBeShared: fc.boolean() }))
          .map(([condition, body]): FragmentPlan => ({ kind: 'fragment', ...condition, ...body })),
      ),
    );
  }

  return draw;
}

/** graphql-js rejects documents with deeper nesting in introspection. */
const depthBelow = (type: GraphQLCompositeType, depth: number): number =>
  isIntrospectionType(type) ? Math.min(depth - 1, 3) : depth - 1;

/** Mostly none; @skip and @include may occur together. */
function directives(): fc.Arbitrary<DirectivePlan[]> {
  const condition = (value: boolean): fc.Arbitrary<ValuePlan> =>
    valuePlan(
      { name: 'if', type: CONDITION, hasDefault: false, isOneOf: false },
      { if: fc.constant(value) },
    );
  const directive = (name: DirectivePlan['name']) =>
    // Four in five keep the field: otherwise hardly any deep field would be left.
    fc
      .oneof(
        { weight: 4, arbitrary: condition(name === 'include') },
        { weight: 1, arbitrary: condition(name === 'skip') },
      )
      .map((value): DirectivePlan => ({ name, if: value }));
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant<DirectivePlan[]>([]) },
    { weight: 1, arbitrary: directive('skip').map((one) => [one]) },
    { weight: 1, arbitrary: directive('include').map((one) => [one]) },
    { weight: 1, arbitrary: fc.tuple(directive('skip'), directive('include')) },
  );
}

const fieldsByName = (type: GraphQLCompositeType) =>
  isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};

function fieldsOf(
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  introspection: boolean,
): GraphQLField<unknown, unknown>[] {
  const isRoot = introspection && type === schema.getQueryType();
  return [
    ...Object.values(fieldsByName(type)),
    TypeNameMetaFieldDef,
    ...(isRoot ? [SchemaMetaFieldDef, TypeMetaFieldDef] : []),
  ];
}

/** Types that a fragment within `type` may be on: those that an object of `type` may have. */
function conditionsOn(schema: GraphQLSchema, type: GraphQLCompositeType): GraphQLCompositeType[] {
  const possible = (of: GraphQLCompositeType): readonly GraphQLObjectType[] =>
    isObjectType(of) ? [of] : schema.getPossibleTypes(of);
  const here = new Set(possible(type));
  return Object.values(schema.getTypeMap())
    .filter(isCompositeType)
    .filter((other) => possible(other).some((each) => here.has(each)));
}
