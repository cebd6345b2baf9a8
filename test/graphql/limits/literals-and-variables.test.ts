import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  getVariableValues,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { operationCost } from '../../../schema/limits/cost-fault.ts';
import { PRICES } from '../../../schema/limits/prices.ts';
import { requestFault } from '../../../schema/limits/request-fault.ts';
import { schema } from '../../../schema/schema.ts';
import { guidOf } from '../../support/lab/lab.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

/** A value as JSON, for a variable, and as GraphQL writes it. */
type Value = { readonly json: unknown; readonly literal: string };

const value = (json: unknown): Value => ({ json, literal: JSON.stringify(json) });
const NULL = value(null);

const LEAVES: Readonly<Record<string, fc.Arbitrary<Value>>> = {
  Int: fc
    .oneof(fc.integer(), fc.integer({ min: -2, max: 20 }), fc.constantFrom(86_400, 1e6))
    .map(value),
  Float: fc.integer({ min: -1, max: 101 }).map((number) => value(number / 2)),
  Boolean: fc.boolean().map(value),
  String: fc.constantFrom('', 'x', '2026-07-15', '2026-08-01T00:00:00Z', 'yesterday').map(value),
  ID: fc.oneof(fc.constantFrom('a', 'b'), fc.nat()).map(value),
  Guid: fc.constant(value(guidOf(1))),
  EpochSeconds: fc.nat({ max: 2 ** 40 }).map(value),
};

/** A random value that fits a type. */
function fitting(type: GraphQLInputType): fc.Arbitrary<Value> {
  if (isNonNullType(type)) return fittingNonNull(type.ofType);
  return fc.oneof({ weight: 3, arbitrary: fittingNonNull(type) }, fc.constant(NULL));
}

function fittingNonNull(type: GraphQLInputType): fc.Arbitrary<Value> {
  if (isListType(type)) {
    const item = fitting(type.ofType);
    const list = fc.array(item, { maxLength: 4 }).map((items) => ({
      json: items.map(({ json }) => json),
      literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
    }));
    // A single value is a list of one.
    return fc.oneof(list, isNonNullType(type.ofType) ? item : list);
  }
  if (isEnumType(type)) {
    const names = type.getValues().map(({ name }) => ({ json: name, literal: name }));
    return fc.constantFrom(...names);
  }
  if (!isInputObjectType(type)) return LEAVES[getNamedType(type).name] ?? fc.constant(value(1));
  const fields = Object.values(type.getFields());
  if (type.isOneOf) {
    return fc.oneof(
      ...fields.map((each) =>
        fittingNonNull(getNullableType(each.type)).map((one) => object([[each.name, one]])),
      ),
    );
  }
  const record = Object.fromEntries(fields.map((each) => [each.name, fitting(each.type)]));
  const requiredKeys = fields.filter(isRequiredInputField).map(({ name }) => name);
  return fc.record(record, { requiredKeys }).map((given) => object(Object.entries(given)));
}

const object = (entries: readonly (readonly [string, Value])[]): Value => ({
  json: Object.fromEntries(entries.map(([name, { json }]) => [name, json])),
  literal: `{ ${entries.map(([name, { literal }]) => `${name}: ${literal}`).join(', ')} }`,
});

const NAMES = 'recentSeconds interval startingAt dates preset from to seconds ipv4 keys match key '
  .concat('toString valueOf __proto__ constructor length')
  .split(' ');

/** Values of any shape, with names that every object has. */
const anything: fc.Arbitrary<Value> = fc.letrec<{ any: Value }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(NULL, value(true), value('x'), value(-1), value(1.5), value(1e30)),
    fc.array(tie('any'), { maxLength: 3 }).map((items) => ({
      json: items.map(({ json }) => json),
      literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
    })),
    fc
      .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), tie('any')), {
        maxLength: 3,
        selector: ([name]) => name,
      })
      .map(object),
  ),
})).any;

type Field = GraphQLField<unknown, unknown>;

const PRICED: readonly (readonly [string, Field])[] = Object.keys(PRICES).flatMap((place) => {
  const [type = '', name = ''] = place.split('.');
  const owner = schema.getType(type);
  const field = owner && 'getFields' in owner ? owner.getFields()[name] : undefined;
  return field && 'args' in field && field.args.length > 0 ? [[type, field] as const] : [];
});

/** A document with that field, and something that costs below it. */
function documentWith(owner: string, field: Field, args: string, declared: string): string {
  const below = isCompositeType(getNamedType(field.type))
    ? '{ at keys { peak } edges { node { counterGroup { topper { total } } } } }'
    : '';
  const selection = `${field.name}${args && `(${args})`} ${below}`;
  const query = `query ${declared}`;
  const inTopper = (inner: string) =>
    `${query} { context(name: "lab") { counterGroup(guid: "${guidOf(1)}") {
      topper(maxItems: 7) { ${inner} } } } }`;
  if (schema.getQueryType()?.name === owner) return `${query} { ${selection} }`;
  if (schema.getMutationType()?.name === owner) return `mutation ${declared} { ${selection} }`;
  if (schema.getSubscriptionType()?.name === owner) {
    return `subscription ${declared} { ${selection} }`;
  }
  if (owner === 'Topper') return inTopper(selection);
  if (owner === 'TopperKey') return inTopper(`keys { ${selection} }`);
  return `${query} { node(id: "x") { ... on ${owner} { ${selection} } } }`;
}

type Case = { readonly owner: string; readonly field: Field; readonly given: [string, Value][] };

const casesOf = (drawn: (type: GraphQLInputType) => fc.Arbitrary<Value>): fc.Arbitrary<Case> =>
  fc.oneof(
    ...PRICED.map(([owner, field]) =>
      fc
        .record(Object.fromEntries(field.args.map(({ name, type }) => [name, drawn(type)])), {
          requiredKeys: field.args.filter(isRequiredArgument).map(({ name }) => name),
        })
        .map((record): Case => ({ owner, field, given: Object.entries(record) })),
    ),
  );

type Asked = { readonly text: string; readonly variables: Record<string, unknown> };

/** The same request with literals, with variables, and with defaults of variables. */
function waysToAsk({ owner, field, given }: Case): readonly Asked[] {
  const types = new Map(field.args.map(({ name, type }) => [name, String(type)]));
  const inVariables = given.map(([name]) => `${name}: $${name}`).join(', ');
  const list = (write: (name: string, given: Value) => string) =>
    given.length === 0 ? '' : `(${given.map(([name, each]) => write(name, each)).join(', ')})`;
  const literals = given.map(([name, { literal }]) => `${name}: ${literal}`).join(', ');
  const declared = list((name) => `$${name}: ${types.get(name)}`);
  const defaults = list((name, { literal }) => `$${name}: ${types.get(name)} = ${literal}`);
  return [
    { text: documentWith(owner, field, literals, ''), variables: {} },
    {
      text: documentWith(owner, field, inVariables, declared),
      // As they arrive: `__proto__` is a name like any other.
      variables: JSON.parse(
        `{${given.map(([name, { json }]) => `"${name}":${jsonText(json)}`).join()}}`,
      ),
    },
    { text: documentWith(owner, field, inVariables, defaults), variables: {} },
  ];
}

const jsonText = (json: unknown): string => JSON.stringify(json);

function costOf({ text, variables }: Asked): number {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const declared = operation.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(schema, declared, variables);
  if (!coerced) throw new Error(String(errors));
  const { fixed, nodeIds, ranks } = operationCost(document, operation, coerced, {
    topperItems: LIMITS.maxItems,
  });
  return fixed + nodeIds / 1e4 + ranks / 1e7;
}

const GENEROUS = {
  tokens: 5_000,
  depth: 100,
  aliases: 100,
  rootFields: 100,
  directives: 100,
  cost: 1,
  nodeIds: 1_000,
  percentileRanks: 101,
  topperItems: LIMITS.maxItems,
};

describe('the cost', () => {
  it('is the same for literals, for variables and for their defaults', () => {
    const costs = new Set<number>();
    fc.assert(
      fc.property(casesOf(fitting), (each) => {
        const [literals, ...others] = waysToAsk(each).map(costOf);
        costs.add(literals ?? 0);
        for (const other of others) expect(other).toBe(literals);
      }),
      { numRuns: 10 * FUZZ_CASES },
    );
    expect(costs.size).toBeGreaterThan(50);
  });

  it('of arguments of any shape is computed without a failure', () => {
    fc.assert(
      fc.property(
        casesOf(() => anything),
        (each) => {
          for (const { text, variables } of waysToAsk(each)) {
            const request = { document: parse(text), operationName: null, variables };
            const fault = requestFault(request, GENEROUS);
            expect(fault?.extensions['code'] ?? 'LIMIT').toBe('LIMIT');
          }
        },
      ),
      { numRuns: 10 * FUZZ_CASES },
    );
  });

  it.each([
    'topper(window: { recentSeconds: {} }, maxItems: 100)',
    'topper(window: { recentSeconds: 1, preset: TODAY }, maxItems: 100)',
    'topper(maxItems: 3000000000)',
    'topper(maxItems: null)',
    'topper(rankBy: "PEAK")',
    'topper(filter: 1)',
    'topperTrend(every: "60")',
    'topperTrend',
    'keys(first: [100])',
  ])('of a field that is refused for them is nothing: %s', (field) => {
    const inGroup = `{ node(id: "x") { ... on CounterGroup { ${field} { total } } } }`;
    expect(costOf({ text: inGroup, variables: {} })).toBe(0);
  });
});
