import fc from 'fast-check';
import {
  type ExecutionResult,
  execute,
  type GraphQLError,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
} from 'graphql';
import { expect, it } from 'vitest';
import type { RequestScope } from '../../../resolvers/request-scope.ts';
import { CompiledQueries } from '../../../schema/compiled/compiled-queries.ts';
import { unlimited } from '../../support/graphql/unlimited.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

/** What a resolver returns: a value of the field's type or not, or an error, at once or later. */
type Given =
  | { readonly kind: 'value'; readonly value: unknown; readonly isLate: boolean }
  | { readonly kind: 'thrown' | 'returned'; readonly isLate: boolean }
  | { readonly kind: 'object'; readonly fields: Fields; readonly isLate: boolean }
  | { readonly kind: 'list'; readonly items: readonly Given[]; readonly isLate: boolean };

type Fields = Readonly<Record<string, Given>>;

const FAILED = 'failed';

function givenValue(given: Given): unknown {
  switch (given.kind) {
    case 'value':
      return given.value;
    case 'thrown':
      throw new Error(FAILED);
    case 'returned':
      return new Error(FAILED);
    case 'object':
      return given.fields;
    case 'list':
      return given.items.map((item) => (item.isLate ? later(item) : itemOf(item)));
    default:
      return given satisfies never;
  }
}

/** A list cannot throw for one of its items. */
const itemOf = (given: Given): unknown =>
  given.kind === 'thrown' ? new Error(FAILED) : givenValue(given);

const later = async (given: Given): Promise<unknown> => givenValue(given);

const resolve = (
  source: Fields | undefined,
  _: object,
  __: unknown,
  info: { fieldName: string },
) => {
  const given = source?.[info.fieldName];
  if (!given) return null;
  return given.isLate ? later(given) : givenValue(given);
};

const node: GraphQLObjectType<Fields> = new GraphQLObjectType<Fields>({
  name: 'Node',
  fields: () => ({
    int: { type: GraphQLInt, resolve },
    mustInt: { type: new GraphQLNonNull(GraphQLInt), resolve },
    text: { type: GraphQLString, resolve },
    ints: { type: new GraphQLList(new GraphQLNonNull(GraphQLInt)), resolve },
    node: { type: node, resolve },
    mustNode: { type: new GraphQLNonNull(node), resolve },
    nodes: { type: new GraphQLList(node), resolve },
    mustNodes: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(node))),
      resolve,
    },
  }),
});

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      root: { type: node, resolve: (_, __, scope) => scope.root },
      mustRoot: { type: new GraphQLNonNull(node), resolve: (_, __, scope) => scope.root },
    },
  }),
});

const LEAVES = 'int mustInt text ints';
const DEEPER = `${LEAVES} node { ${LEAVES} } nodes { ${LEAVES} }`;
const BELOW = `${LEAVES} node { ${DEEPER} } mustNode { ${DEEPER} } nodes { ${DEEPER} } mustNodes { ${DEEPER} }`;

type When = fc.Arbitrary<boolean>;

const failing = (isLate: When) =>
  fc.record({ kind: fc.constantFrom('thrown' as const, 'returned' as const), isLate });

const given = (values: fc.Arbitrary<unknown>, isLate: When): fc.Arbitrary<Given> => {
  const one = (value: fc.Arbitrary<unknown>) =>
    fc.record({ kind: fc.constant('value' as const), value, isLate });
  return fc.oneof(
    { weight: 12, arbitrary: one(values) },
    { weight: 1, arbitrary: failing(isLate) },
    { weight: 1, arbitrary: one(fc.constant(null)) },
  );
};

const integers = fc.oneof({ weight: 9, arbitrary: fc.integer({ max: 9 }) }, fc.constant('odd'));

const listOf = (items: fc.Arbitrary<Given>, isLate: When): fc.Arbitrary<Given> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('list' as const),
        items: fc.array(items, { maxLength: 3 }),
        isLate,
      }),
    },
    { weight: 1, arbitrary: given(fc.constant(7), isLate) },
  );

const SOMETIMES = fc.boolean();
const NEVER = fc.constant(false);

/**
 * Items of lists of non-null types are never late: when one fails at once, graphql-js leaves the
 * rejections of the others unhandled, which ends the process.
 */
function nodes(depth: number, isLate: When): fc.Arbitrary<Given> {
  const nothing = given(fc.constant(null), isLate);
  const below = depth > 0 ? nodes(depth - 1, isLate) : nothing;
  const atOnce = depth > 0 ? nodes(depth - 1, NEVER) : nothing;
  const fields = fc.record({
    int: given(integers, isLate),
    mustInt: given(integers, isLate),
    text: given(fc.string(), isLate),
    ints: listOf(given(integers, NEVER), isLate),
    node: below,
    mustNode: below,
    nodes: listOf(below, isLate),
    mustNodes: listOf(atOnce, isLate),
  });
  return fc.oneof(
    { weight: 9, arbitrary: fc.record({ kind: fc.constant('object' as const), fields, isLate }) },
    { weight: 1, arbitrary: failing(isLate) },
  );
}

const shown = ({ message, path, locations }: GraphQLError): string =>
  JSON.stringify({ message, path, locations });

/** Sorts the errors: resolvers that run concurrently end in any order. */
const shownAll = (errors: readonly GraphQLError[] = []): string[] => errors.map(shown).sort();

it.each(['root', 'mustRoot'])(
  'any mix of values, errors and nulls, at once or later, is answered as by graphql-js: %s',
  async (root) => {
    const text = `{ first: ${root} { ${BELOW} } second: root { ${DEEPER} } }`;
    const document = parse(text);
    const query = new CompiledQueries(schema, 1).note({ text, document, operationName: null });
    const isSame = fc.asyncProperty(nodes(2, SOMETIMES), async (tree) => {
      const scope = () => ({
        root: tree.isLate ? later(tree).catch((error) => error) : itemOf(tree),
      });
      const expected: ExecutionResult = await execute({ schema, document, contextValue: scope() });
      const found = await query?.run({
        scope: scope() as unknown as RequestScope,
        variables: {},
        progress: unlimited(),
      });
      expect(found?.data).toBe(JSON.stringify(expected.data));
      expect(shownAll(found?.errors)).toEqual(shownAll(expected.errors));
    });
    await fc.assert(isSame, { numRuns: FUZZ_CASES });
  },
);
