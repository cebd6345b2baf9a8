import fc from 'fast-check';
import {
  type DocumentNode,
  type FieldNode,
  type InlineFragmentNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  visit,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { operationCost } from '../../../schema/limits/cost-fault.ts';
import { type Measure, measureDocument } from '../../../schema/limits/measure-document.ts';

const operationOf = (document: DocumentNode): OperationDefinitionNode => {
  const [first] = document.definitions;
  if (first?.kind !== Kind.OPERATION_DEFINITION) throw new Error('the operation comes first');
  return first;
};

const measure = (text: string): Measure => {
  const document = parse(text);
  const measured = measureDocument(document).get(operationOf(document));
  if (!measured) throw new Error('every operation is measured');
  return measured;
};

/** The same document with every fragment expanded where it is spread. */
function expanded(document: DocumentNode): DocumentNode {
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each] as const] : [],
    ),
  );
  const writeOut = <Node extends OperationDefinitionNode | InlineFragmentNode>(node: Node): Node =>
    visit(node, {
      FragmentSpread: {
        leave({ name, directives = [] }): InlineFragmentNode {
          const fragment = fragments.get(name.value);
          if (!fragment) throw new Error(`no fragment ${name.value}`);
          const { typeCondition, selectionSet } = fragment;
          return writeOut({
            kind: Kind.INLINE_FRAGMENT,
            typeCondition,
            selectionSet,
            directives: [...directives, ...(fragment.directives ?? [])],
          });
        },
      },
    });
  return { kind: Kind.DOCUMENT, definitions: [writeOut(operationOf(document))] };
}

/** Counts as one would by hand, in a document without fragments. */
function naiveMeasure(operation: OperationDefinitionNode): Measure {
  const all: { field: FieldNode; level: number; introspection: number }[] = [];
  let directives = operation.directives?.length ?? 0;
  let nesting = 0;
  let around = 0;
  const walk = (nodes: readonly SelectionNode[], level: number, introspection: number): void => {
    if (nodes.length === 0) return;
    around += 1;
    nesting = Math.max(nesting, around);
    for (const node of nodes) {
      directives += node.directives?.length ?? 0;
      if (node.kind === Kind.FRAGMENT_SPREAD) throw new Error('they were written out');
      if (node.kind === Kind.INLINE_FRAGMENT) {
        walk(node.selectionSet.selections, level, introspection);
        continue;
      }
      const begins = /^__(schema|type)$/.test(node.name.value);
      const inside = begins ? 1 : introspection > 0 ? introspection + 1 : 0;
      all.push({ field: node, level: level + 1, introspection: inside });
      walk(node.selectionSet?.selections ?? [], level + 1, inside);
    }
    around -= 1;
  };
  walk(operation.selectionSet.selections, 0, 0);
  const plain = all.filter(({ introspection }) => introspection === 0);
  return {
    aliases: all.filter(({ field }) => field.alias).length,
    directives,
    nesting,
    rootFields: all.filter(({ level }) => level === 1).length,
    depth: Math.max(0, ...plain.map(({ level }) => level)),
    introspectionDepth: Math.max(0, ...all.map(({ introspection }) => introspection)),
  };
}

/** Selections that spread only later fragments, so that there is no cycle. */
const selections = (from: number, count: number): fc.Arbitrary<string> =>
  fc.letrec<{ set: string; one: string }>((tie) => ({
    set: fc.array(tie('one'), { minLength: 1, maxLength: 3 }).map((each) => each.join(' ')),
    one: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('a', 'x: b', '__typename', 'a @d', 'y: c @d @d'),
      ...(from < count ? [fc.integer({ min: from, max: count - 1 }).map((i) => `...F${i}`)] : []),
      ...(from < count
        ? [fc.integer({ min: from, max: count - 1 }).map((i) => `...F${i} @d`)]
        : []),
      tie('set').map((set) => `... @d { ${set} }`),
      tie('set').map((set) => `... on T { ${set} }`),
      tie('set').map((set) => `a { ${set} }`),
      tie('set').map((set) => `z: a { ${set} }`),
      tie('set').map((set) => `__schema { ${set} }`),
    ),
  })).set;

const FRAGMENTS = 4;

const documents = fc
  .tuple(
    selections(0, FRAGMENTS),
    ...Array.from({ length: FRAGMENTS }, (_, i) => selections(i + 1, FRAGMENTS)),
  )
  .map(([root, ...sets]) =>
    [
      `query @d { ${root} }`,
      ...sets.map((set, i) => `fragment F${i} on T ${i % 2 === 0 ? '' : '@d '}{ ${set} }`),
    ].join('\n'),
  );

describe('the measure of a document', () => {
  it('equals a naive count with every fragment expanded', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const written = operationOf(expanded(parse(text)));
        expect(measure(text)).toEqual(naiveMeasure(written));
      }),
      { numRuns: 300 },
    );
  });

  it.each<readonly [string, Partial<Measure>]>([
    ['{ a }', { depth: 1, rootFields: 1, aliases: 0, directives: 0, introspectionDepth: 0 }],
    ['{ a { b { c } } d }', { depth: 3, rootFields: 2 }],
    ['{ a: b c: d { e: f } }', { aliases: 3 }],
    [
      'query ($v: Int @d) @d { a @d ... @d { b } ...F @d } fragment F on T @d { c @d }',
      { directives: 7 },
    ],
    ['{ ...F ...F } fragment F on T { a b }', { rootFields: 4, depth: 1 }],
    ['{ ... on T { a { ...F } } } fragment F on T { b { c } }', { depth: 3, nesting: 5 }],
    ['{ __schema { types { name } } a }', { depth: 1, introspectionDepth: 3, rootFields: 2 }],
    ['{ __schema { ...F } } fragment F on T { a { b } }', { depth: 0, introspectionDepth: 3 }],
    ['{ a { __typename } }', { depth: 2, introspectionDepth: 0 }],
    ['{ a ...Gone }', { depth: 1 }],
    ['{ ...A } fragment A on T { x: a ...B } fragment B on T { y: b ...A }', { aliases: 2 }],
    ['{ ...A } fragment A on T { x: a ...A }', { aliases: 1, rootFields: 1 }],
  ])('%s', (text, expected) => {
    expect(measure(text)).toMatchObject(expected);
  });
});

describe('the cost', () => {
  const priced = (from: number, type: string): fc.Arbitrary<string> => {
    const spreads = [0, 1, 2, 3].filter((i) => i >= from).map((i) => `...${type}${i}`);
    const plain = PARTS[type] ?? [];
    const texts = fc.constantFrom(...plain, ...spreads, 'a: __typename');
    return fc.array(texts, { minLength: 1, maxLength: 4 }).map((each) => each.join(' '));
  };
  const PARTS: Readonly<Record<string, readonly string[]>> = {
    Group: [
      'topper { ...Top0 }',
      'a: topper(maxItems: 7, window: { recentSeconds: 200000 }) { ...Top1 }',
    ],
    Top: ['keys { ...Key0 }', 'keys { ...Key2 key }', 'series { at }', 'series(step: 60) { at }'],
    Key: [
      'peak',
      'percentiles(ranks: [1, 2, 3]) { value }',
      'previous { metric }',
      'drilldown(crosskey: "x") { keys { peak } series { at } }',
    ],
  };
  const TYPES = { Group: 'CounterGroup', Top: 'Topper', Key: 'TopperKey' };
  const fragments = Object.entries(TYPES).flatMap(([short, type]) =>
    [0, 1, 2, 3].map((i) =>
      priced(i + 1, short).map((set) => `fragment ${short}${i} on ${type} { ${set} }`),
    ),
  );
  const all = fc
    .tuple(priced(0, 'Group'), ...fragments)
    .map(([root, ...others]) =>
      [`{ contexts { counterGroups { topper { total } ${root} } } }`, ...others].join('\n'),
    );

  it('is the same with fragments and with all of them expanded', () => {
    fc.assert(
      fc.property(all, (text) => {
        const document = parse(text);
        const written = expanded(document);
        const setting = { topperItems: LIMITS.maxItems };
        const { fixed } = operationCost(document, operationOf(document), {}, setting);
        expect(fixed).toBeGreaterThan(0);
        expect(operationCost(written, operationOf(written), {}, setting).fixed).toBeCloseTo(fixed);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a hostile document', () => {
  const chain = (count: number, link: (i: number) => string, end: string): string =>
    `query ($n: Int!) { contexts { counterGroups { ...F0 } } } ${Array.from(
      { length: count },
      (_, i) => `fragment F${i} on CounterGroup { ${link(i + 1)} }`,
    ).join(' ')} fragment F${count} on CounterGroup { ${end} }`;
  const END = 'a: topper(maxItems: $n) { total }';

  const HOSTILE: readonly (readonly [string, string])[] = [
    ['a chain of 10,000 fragments', chain(10_000, (i) => `...F${i}`, END)],
    ['5,000 fragments that spread the next twice', chain(5_000, (i) => `...F${i} ...F${i}`, END)],
    ['one fragment spread 10,000 times', chain(1, () => '...F1 '.repeat(10_000), END)],
    [
      '100 fragments of which each spreads all that follow',
      chain(100, (i) => Array.from({ length: 101 - i }, (_, j) => `...F${i + j}`).join(' '), END),
    ],
    ['a cycle of 10,000 fragments', chain(10_000, (i) => `...F${i} a: name`, '...F0 ...F5000')],
  ];

  it.each(HOSTILE)('(%s) is visited once', (_, text) => {
    const document = parse(text);
    let nodes = 0;
    let looks = 0;
    visit(document, {
      enter(node) {
        if (!('kind' in node) || !SELECTIONS.has(node.kind)) return;
        nodes += 1;
        const { kind } = node;
        Object.defineProperty(node, 'kind', {
          get() {
            looks += 1;
            return kind;
          },
        });
      },
    });
    expect(nodes).toBeGreaterThan(5_000);
    looks = 0;
    measureDocument(document);
    expect(looks).toBe(nodes);
    let reads = 0;
    const variables = {
      get n() {
        reads += 1;
        return 3;
      },
    };
    operationCost(document, operationOf(document), variables, { topperItems: 10 });
    // The cost checks the kind of each node twice: for a spread, then for an inline fragment.
    expect(looks).toBeLessThanOrEqual(3 * nodes);
    // The one topper is priced once, however often it is spread: graphql-js reads it three times.
    expect(reads).toBe(text.includes('$n)') ? 3 : 0);
  });

  const SELECTIONS: ReadonlySet<string> = new Set([
    Kind.FIELD,
    Kind.FRAGMENT_SPREAD,
    Kind.INLINE_FRAGMENT,
  ]);
});
