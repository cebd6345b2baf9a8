import {
  type DocumentNode,
  type ExecutableDefinitionNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf, inSpreadOrder } from './spread-order.ts';

/** The counts of an operation, with every fragment expanded wherever it is spread. */
export type Measure = {
  readonly aliases: number;
  readonly directives: number;
  /** Fields of the outermost level. */
  readonly rootFields: number;
  /** Nested fields, without those of introspection. */
  readonly depth: number;
  /** Nested fields of `__schema` and `__type`, including these; 0: no introspection. */
  readonly introspectionDepth: number;
  /** Nested selections in braces, of fields or not. */
  readonly nesting: number;
};

const documents = new WeakMap<DocumentNode, ReadonlyMap<OperationDefinitionNode, Measure>>();

/**
 * Measures each operation of a document, valid or not. It reads each definition once, so it is
 * linear in the document's size, however large the document is with its fragments expanded. The
 * numbers may then be huge, or Infinity.
 */
export function measureDocument(
  document: DocumentNode,
): ReadonlyMap<OperationDefinitionNode, Measure> {
  const known = documents.get(document);
  if (known) return known;
  const measures = measureFragments(document);
  const operations = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => [operation, total(tallyOf(operation), measures)] as const);
  const measured = new Map(operations);
  documents.set(document, measured);
  return measured;
}

function measureFragments(document: DocumentNode): ReadonlyMap<string, Measure> {
  const tallies = new Map(
    [...fragmentsOf(document)].map(([name, fragment]) => [name, tallyOf(fragment)]),
  );
  const spreadsOf = (name: string) => (tallies.get(name)?.spreads ?? []).map((each) => each.name);
  const measures = new Map<string, Measure>();
  for (const name of inSpreadOrder(tallies.keys(), spreadsOf)) {
    const tally = tallies.get(name);
    if (tally) measures.set(name, total(tally, measures));
  }
  return measures;
}

/** A place where a fragment is spread. */
type Spread = Pick<Place, 'level' | 'introspects' | 'nesting'> & { readonly name: string };

/** The counts of a definition itself, and the fragments that it spreads. */
type Tally = Measure & { readonly spreads: readonly Spread[] };

/** Adds the spread fragments. A missing one, or one not measured yet (a cycle), is empty. */
function total({ spreads, ...own }: Tally, fragments: ReadonlyMap<string, Measure>): Measure {
  const sum = { ...own };
  for (const { name, level, introspects, nesting } of spreads) {
    const fragment = fragments.get(name);
    if (!fragment) continue;
    sum.aliases += fragment.aliases;
    sum.directives += fragment.directives;
    sum.nesting = Math.max(sum.nesting, nesting + fragment.nesting);
    const depth = level + fragment.depth;
    if (introspects) sum.introspectionDepth = Math.max(sum.introspectionDepth, depth);
    else {
      sum.depth = Math.max(sum.depth, depth);
      if (level === 0) sum.rootFields += fragment.rootFields;
    }
    sum.introspectionDepth = Math.max(sum.introspectionDepth, fragment.introspectionDepth);
  }
  return sum;
}

type Place = {
  readonly set: SelectionSetNode;
  /** The number of enclosing fields. */
  readonly level: number;
  readonly introspects: boolean;
  readonly nesting: number;
};

function tallyOf(definition: ExecutableDefinitionNode): Tally {
  const spreads: Spread[] = [];
  const tally = {
    aliases: 0,
    directives: 0,
    rootFields: 0,
    depth: 0,
    introspectionDepth: 0,
    nesting: 1,
  };
  const countDirectives = ({ directives }: { directives?: readonly unknown[] | undefined }) => {
    tally.directives += directives?.length ?? 0;
  };
  countDirectives(definition);
  for (const variable of definition.variableDefinitions ?? []) countDirectives(variable);
  const open: Place[] = [];
  const enter = (set: SelectionSetNode, place: Omit<Place, 'set'>) => {
    tally.nesting = Math.max(tally.nesting, place.nesting);
    open.push({ ...place, set });
  };
  const countField = (field: FieldNode, place: Place) => {
    if (field.alias) tally.aliases += 1;
    const begins = isIntrospection(field);
    const introspects = place.introspects || begins;
    // The depth of introspection is counted from its own outermost field.
    const level = begins ? 1 : place.level + 1;
    if (introspects) tally.introspectionDepth = Math.max(tally.introspectionDepth, level);
    else tally.depth = Math.max(tally.depth, level);
    if (place.level === 0 && !place.introspects) tally.rootFields += 1;
    const nesting = place.nesting + 1;
    if (field.selectionSet) enter(field.selectionSet, { level, introspects, nesting });
  };
  enter(definition.selectionSet, { level: 0, introspects: false, nesting: 1 });
  for (let place = open.pop(); place; place = open.pop()) {
    for (const selection of place.set.selections) {
      countDirectives(selection);
      const { kind } = selection;
      if (kind === Kind.FIELD) countField(selection, place);
      else if (kind === Kind.INLINE_FRAGMENT) {
        enter(selection.selectionSet, { ...place, nesting: place.nesting + 1 });
      } else spreads.push({ ...place, name: selection.name.value });
    }
  }
  return { ...tally, spreads };
}

const isIntrospection = ({ name }: FieldNode): boolean =>
  name.value === '__schema' || name.value === '__type';
