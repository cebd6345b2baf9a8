import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { ValuePlan, VariablePlan } from './document-plan.ts';

/**
 * What to draw for leaves, as JSON, by `Type.field.argument` or `InputType.field`, by the name of
 * the argument or field alone, or by the name of the scalar. The first match applies.
 */
export type LeafValues = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** The position of a value. `name`: its key in `LeafValues`. */
export type Place = {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly hasDefault: boolean;
  /** A field of a @oneOf input accepts no nullable variable. */
  readonly isOneOf: boolean;
};

/** A value for an argument of `field`, which is given as `Type.field`. */
export function argumentPlan(
  field: string,
  argument: GraphQLArgument,
  leaves: LeafValues,
): fc.Arbitrary<ValuePlan> {
  const { name, type, defaultValue } = argument;
  const place = { name: `${field}.${name}`, type, hasDefault: defaultValue !== undefined };
  return valuePlan({ ...place, isOneOf: false }, leaves);
}

export function valuePlan(place: Place, leaves: LeafValues): fc.Arbitrary<ValuePlan> {
  const type = getNullableType(place.type);
  const { name } = place;
  const literal = jsonValue(place, leaves).map(
    (value): ValuePlan => ({ kind: 'literal', type: place.type, value }),
  );
  const variable = variableAt(place, leaves);
  const inner = isInputObjectType(type)
    ? [objectPlan(type, leaves)]
    : isListType(type)
      ? [listPlan({ name, type: type.ofType, hasDefault: false, isOneOf: false }, leaves)]
      : [];
  return fc.oneof(
    { weight: 3, arbitrary: literal },
    { weight: 2, arbitrary: variable },
    ...inner.map((arbitrary) => ({ weight: 3, arbitrary })),
  );
}

const listPlan = (item: Place, leaves: LeafValues): fc.Arbitrary<ValuePlan> =>
  fc.array(valuePlan(item, leaves), { maxLength: 3 }).map((items) => ({ kind: 'list', items }));

function objectPlan(type: GraphQLInputObjectType, leaves: LeafValues): fc.Arbitrary<ValuePlan> {
  const fields = Object.values(type.getFields());
  const planOf = (field: GraphQLInputField) => valuePlan(placeIn(type, field), leaves);
  const asObject = (drawn: Readonly<Record<string, ValuePlan>>): ValuePlan => ({
    kind: 'object',
    fields: Object.entries(drawn),
  });
  if (type.isOneOf) {
    return fc.oneof(
      ...fields.map((field) => planOf(field).map((plan) => asObject({ [field.name]: plan }))),
    );
  }
  return fc.record(byName(fields, planOf), { requiredKeys: requiredOf(fields) }).map(asObject);
}

function placeIn(owner: GraphQLInputObjectType, field: GraphQLInputField): Place {
  return {
    name: `${owner.name}.${field.name}`,
    type: owner.isOneOf ? nonNull(field.type) : field.type,
    hasDefault: field.defaultValue !== undefined,
    isOneOf: owner.isOneOf,
  };
}

/**
 * GraphQL, "All variable usages are allowed": a variable of the position's type, of a stricter one,
 * or a nullable one where there is a default. An explicit null is then the field's error, not the
 * document's.
 */
function variableAt(place: Place, leaves: LeafValues): fc.Arbitrary<VariablePlan> {
  const { type, hasDefault, isOneOf } = place;
  const strict = nonNull(type);
  const some = jsonValue({ ...place, type: strict }, leaves);
  const nothing = fc.constant(undefined);
  const maybe = fc.oneof(
    { weight: 6, arbitrary: some },
    { weight: 2, arbitrary: nothing },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  const variable = (
    declared: GraphQLInputType,
    given: fc.Arbitrary<unknown>,
    fallback: fc.Arbitrary<unknown>,
  ): fc.Arbitrary<VariablePlan> =>
    fc.record({
      kind: fc.constant('variable' as const),
      type: fc.constant(declared),
      given,
      fallback,
      mayBeShared: fc.boolean(),
    });
  const strictly = variable(strict, some, nothing);
  const strictWithDefault = variable(strict, fc.oneof(some, nothing), some);
  if (isOneOf) return fc.oneof(strictly, strictWithDefault);
  const loose = variable(getNullableType(type), maybe, some);
  const mayBeLeftOut = !isNonNullType(type) || hasDefault;
  const open = mayBeLeftOut ? [variable(getNullableType(type), maybe, nothing)] : [];
  return fc.oneof(strictly, strictWithDefault, loose, ...open);
}

/** A value of the position's type, as JSON. */
function jsonValue(place: Pick<Place, 'name' | 'type'>, leaves: LeafValues): fc.Arbitrary<unknown> {
  const { name, type } = place;
  if (!isNonNullType(type)) {
    return fc.option(jsonValue({ name, type: nonNull(type) }, leaves), { nil: null, freq: 8 });
  }
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    return fc.array(jsonValue({ name, type: nullable.ofType }, leaves), { maxLength: 3 });
  }
  if (isInputObjectType(nullable)) return objectValue(nullable, leaves);
  return leafValue(name, type, leaves);
}

function objectValue(type: GraphQLInputObjectType, leaves: LeafValues): fc.Arbitrary<unknown> {
  const fields = Object.values(type.getFields());
  const of = (field: GraphQLInputField) => jsonValue(placeIn(type, field), leaves);
  if (type.isOneOf) {
    return fc.oneof(...fields.map((field) => of(field).map((value) => ({ [field.name]: value }))));
  }
  // GraphQL never sees an object's prototype, so null prototypes are not drawn.
  return fc.record(byName(fields, of), { requiredKeys: requiredOf(fields), noNullPrototype: true });
}

function leafValue(
  name: string,
  type: GraphQLInputType,
  leaves: LeafValues,
): fc.Arbitrary<unknown> {
  const named = getNamedType(type);
  const lastName = name.slice(name.lastIndexOf('.') + 1);
  const chosen = leaves[name] ?? leaves[lastName];
  if (chosen) return chosen;
  if (isEnumType(named)) return fc.constantFrom(...named.getValues().map((value) => value.name));
  const byScalar = leaves[named.name] ?? SCALARS[named.name];
  if (!byScalar) throw new Error(`say what values ${name} of type ${named.name} may have`);
  return byScalar;
}

/** Strings have no lone surrogates, which a document cannot hold. */
const SCALARS: LeafValues = {
  Boolean: fc.boolean(),
  Float: fc.oneof(
    fc.integer({ min: -9, max: 9 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  ID: fc.string({ maxLength: 10 }),
  Int: fc.oneof(fc.integer({ min: -2, max: 20 }), fc.integer()),
  String: fc.string({ unit: 'grapheme', maxLength: 10 }),
};

const nonNull = (type: GraphQLInputType): GraphQLInputType =>
  isNonNullType(type) ? type : new GraphQLNonNull(type);

const byName = <T>(
  fields: readonly GraphQLInputField[],
  of: (field: GraphQLInputField) => fc.Arbitrary<T>,
): Record<string, fc.Arbitrary<T>> =>
  Object.fromEntries(fields.map((field) => [field.name, of(field)]));

const requiredOf = (fields: readonly GraphQLInputField[]): string[] =>
  fields
    .filter(({ type, defaultValue }) => isNonNullType(type) && defaultValue === undefined)
    .map(({ name }) => name);
