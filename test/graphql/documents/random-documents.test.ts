import fc from 'fast-check';
import {
  type DocumentNode,
  GraphQLSchema,
  getOperationAST,
  getVariableValues,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../../schema/schema.ts';
import { T0 } from '../../support/lab/lab.ts';
import { type LabFacts, labValues } from '../../support/lab/lab-values.ts';
import { randomDocuments } from '../../support/random/random-documents.ts';

const FACTS: LabFacts = {
  contexts: ['lab'],
  groups: ['{ABCDEF00-0000-4000-8000-000000000001}'],
  crosskeyGroups: ['{ABCDEF00-0000-4000-8000-000000000002}'],
  keys: ['k1', 'x\\y', '"\u0001\u{1F600}'],
  meters: [0, 1],
  probes: ['p1'],
  nodes: ['dr0'],
  ids: ['abc'],
  from: T0,
  to: T0 + 3600,
};

const leaves = labValues(FACTS);
const documents = randomDocuments(schema, { leaves, introspection: true });

/** The seed is fixed: these tests check the generator itself. */
const SAMPLES = fc.sample(documents, { numRuns: 1000, seed: 1 });
const PARSED = SAMPLES.map((sample) => ({ ...sample, document: parse(sample.query) }));

describe('random documents', () => {
  it('parse, validate and accept their variables', () => {
    for (const { query, operationName, variables, document } of PARSED.slice(0, 300)) {
      expect(validate(schema, document), query).toEqual([]);
      const operation = getOperationAST(document, operationName);
      const definitions = operation?.variableDefinitions ?? [];
      const { errors } = getVariableValues(schema, definitions, { ...variables });
      expect([operation === null, errors], query).toEqual([false, undefined]);
    }
  });

  it('reach every field, argument and input field of the schema', () => {
    const met = new Set(PARSED.flatMap(({ document }) => placesIn(document, schema)));
    for (const place of placesBelowKeys()) met.add(place);
    expect(placesOf(schema).filter((place) => !met.has(place))).toEqual([]);
  });

  it.each([
    ['several operations', /^query Q1/m],
    ['an operation without a name', /^\{/],
    ['variables with a default', /\$v\d+: \w+!? = /],
    ['variables that may be null', /\$v\d+: \w+[,)]/],
    ['variables within input objects', /\{[^{}()]*\w+: \$v/],
    ['variables within lists', /\[[^\]]*\$v/],
    ['aliases that are names of other fields', /\b(name|id|total): (?!\$)\w+(\(| |$)/],
    ['fragments with a name', /\.\.\.F\d+/],
    ['fragments spread twice', /\.\.\.(F\d+)\b[\s\S]*\.\.\.\1\b/],
    ['inline fragments with and without a type', /\.\.\. on \w+[\s\S]*\.\.\. (@|\{)/],
    ['both directives at one place', /@skip\(if: \S+\) @include\(if: /],
    ['a condition in a variable', /@(skip|include)\(if: \$/],
    ['an empty list', /\w: \[\]/],
    ['null', /\w: null/],
    ['introspection', /__schema/],
  ])('have %s', (_, pattern) => {
    expect(SAMPLES.filter(({ query }) => pattern.test(query)).length).toBeGreaterThan(3);
  });

  it('are deeply nested too', () => {
    const depths = PARSED.map(({ document }) => depthOf(document));
    expect(Math.max(...depths)).toBe(8);
    expect(depths.filter((depth) => depth > 4).length).toBeGreaterThan(60);
  });
});

/** No query has arguments of these types, or returns them. */
const ONLY_OF_MUTATIONS: ReadonlySet<string> = new Set([
  'KeyUpdateInput',
  'KeyAttributeInput',
  'NewToken',
]);

/** Fields, arguments and input fields of our own types, as `Type.field(argument)`. */
const placesOf = (of: GraphQLSchema): string[] =>
  Object.values(of.getTypeMap()).flatMap((type) => {
    // The documents are queries. Other operations return the same types, but for a new token.
    const others = [of.getSubscriptionType(), of.getMutationType()];
    if (isIntrospectionType(type) || others.some((root) => root === type)) return [];
    if (ONLY_OF_MUTATIONS.has(type.name)) return [];
    if (isInputObjectType(type)) {
      return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`);
    }
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, args }) => [
      `${type.name}.${name}`,
      ...args.map((argument) => `${type.name}.${name}(${argument.name})`),
    ]);
  });

/**
 * What documents reach that begin with a key of a topper. It is five levels down, where few
 * documents reach all that it has.
 */
function placesBelowKeys(): string[] {
  const query = schema.getType('TopperKey');
  if (!isObjectType(query)) throw new Error('the schema has no TopperKey');
  const keys = new GraphQLSchema({ query });
  return fc
    .sample(randomDocuments(keys, { leaves, maxDepth: 4 }), { numRuns: 300, seed: 1 })
    .flatMap((sample) => placesIn(parse(sample.query), keys));
}

function placesIn(document: DocumentNode, of: GraphQLSchema): string[] {
  const places: string[] = [];
  const info = new TypeInfo(of);
  const here = () => `${info.getParentType()?.name}.${info.getFieldDef()?.name}`;
  visit(
    document,
    visitWithTypeInfo(info, {
      Field: () => void places.push(here()),
      Argument: ({ name }) => void places.push(`${here()}(${name.value})`),
      ObjectField: ({ name }) => void places.push(`${info.getParentInputType()}.${name.value}`),
    }),
  );
  return places;
}

/** The deepest nesting of fields, without expanding named fragments. */
function depthOf(document: DocumentNode): number {
  let depth = 0;
  let most = 0;
  visit(document, {
    Field: {
      enter() {
        depth += 1;
        most = Math.max(most, depth);
      },
      leave() {
        depth -= 1;
      },
    },
  });
  return most;
}
