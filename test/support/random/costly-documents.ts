import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  isCompositeType,
  Kind,
  parse,
  print,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../../schema/schema.ts';

/** Draws an integer from 0 to below `limit`. */
export type Draw = (limit: number) => number;

/** Arguments of fields that lead from a type back to itself, through others. */
export type Loops = Readonly<Record<string, readonly (readonly [open: string, close: string])[]>>;

/** Changes a document so that it may ask for more. null: the changed document is invalid. */
export function moreCostly(text: string, other: string, loops: Loops, draw: Draw): string | null {
  const document = parse(text);
  const changes = [aliased, spread, grafted, looped, looped];
  const change = changes[draw(changes.length)] ?? aliased;
  const changed = change({ document, other: parse(other), loops, draw });
  if (changed === null || validate(schema, changed).length > 0) return null;
  return print(changed);
}

type Change = {
  readonly document: DocumentNode;
  readonly other: DocumentNode;
  readonly loops: Loops;
  readonly draw: Draw;
};

/** Requests a field several times, under other names. */
function aliased({ document, draw }: Change): DocumentNode | null {
  const { at, set } = anySet(document, draw);
  const fields = set.selections.filter((each) => each.kind === Kind.FIELD);
  const field = fields[draw(fields.length)];
  if (!field) return null;
  const copies = Array.from({ length: 1 + draw(6) }, (_, i): FieldNode => {
    const alias = { kind: Kind.NAME, value: `c${i}_${draw(1_000_000)}` } as const;
    return { ...field, alias };
  });
  return withSet(document, at, [...set.selections, ...copies]);
}

/** Turns a selection set into a fragment, and spreads it wherever its type occurs. */
function spread({ document, draw }: Change): DocumentNode | null {
  const { set, type } = anySet(document, draw);
  const name = { kind: Kind.NAME, value: `F${draw(1_000_000)}` } as const;
  const fragment: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name,
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: type } },
    selectionSet: set,
  };
  const inserted = mapSets(document, (each) =>
    each.type === type && each.isInOperation
      ? [...each.set.selections, { kind: Kind.FRAGMENT_SPREAD, name }]
      : null,
  );
  return { ...inserted, definitions: [...inserted.definitions, fragment] };
}

/** Adds what another document selects on the same type. */
function grafted({ document, other, draw }: Change): DocumentNode | null {
  const { at, set, type } = anySet(document, draw);
  const found = setsOf(other).filter((each) => each.type === type);
  const graft = found[draw(found.length)];
  return graft ? withSet(document, at, [...set.selections, ...graft.set.selections]) : null;
}

/** Repeats a selection set further below, where its type occurs again. */
function looped({ document, loops, draw }: Change): DocumentNode | null {
  const { at, set, type } = anySet(document, draw);
  const ways = loops[type] ?? [];
  const [open, close] = ways[draw(ways.length)] ?? [];
  if (open === undefined) return null;
  const below = parse(`{ ${open} ${print(set)} ${close} }`).definitions[0];
  if (below?.kind !== Kind.OPERATION_DEFINITION) return null;
  return withSet(document, at, [...set.selections, ...below.selectionSet.selections]);
}

type PlacedSet = {
  /** Its number in the document. */
  readonly at: number;
  readonly set: SelectionSetNode;
  readonly type: string;
  readonly isInOperation: boolean;
};

function anySet(document: DocumentNode, draw: Draw): PlacedSet {
  const sets = setsOf(document);
  return sets[draw(sets.length)] as PlacedSet;
}

function setsOf(document: DocumentNode): PlacedSet[] {
  const sets: PlacedSet[] = [];
  mapSets(document, (each) => {
    sets.push(each);
    return null;
  });
  return sets;
}

const withSet = (
  document: DocumentNode,
  at: number,
  selections: readonly SelectionNode[],
): DocumentNode => mapSets(document, (each) => (each.at === at ? selections : null));

/** Replaces the selections of each selection set; null: they stay. */
function mapSets(
  document: DocumentNode,
  change: (set: PlacedSet) => readonly SelectionNode[] | null,
): DocumentNode {
  const info = new TypeInfo(schema);
  let at = -1;
  let isInOperation = false;
  return visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: () => {
        isInOperation = true;
      },
      FragmentDefinition: () => {
        isInOperation = false;
      },
      SelectionSet: {
        enter(set) {
          at += 1;
          const type = getNamedType(info.getParentType());
          if (!type || !isCompositeType(type)) return undefined;
          const selections = change({ at, set, type: type.name, isInOperation });
          return selections ? { ...set, selections: [...selections] } : undefined;
        },
      },
    }),
  );
}
