import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql';

/** The fragments of a document by name; of two with one name, which is invalid, the last. */
export const fragmentsOf = (document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  );

/**
 * All names in an order in which each comes after those it spreads; `spreadsOf` gives these. What
 * is computed in this order is computed once for each fragment, however often it is spread. Of a
 * cycle, which is invalid, one link is left out: its names come in some order.
 *
 * Depth first with a stack of its own: a chain of fragments may be longer than the call stack.
 */
export function inSpreadOrder(
  names: Iterable<string>,
  spreadsOf: (name: string) => Iterable<string>,
): string[] {
  const ordered: string[] = [];
  const entered = new Set<string>();
  const open: { name: string; spreads: Iterator<string> }[] = [];
  const enter = (name: string) => {
    if (entered.has(name)) return;
    entered.add(name);
    open.push({ name, spreads: spreadsOf(name)[Symbol.iterator]() });
  };
  for (const start of names) {
    enter(start);
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const next = last.spreads.next();
      if (!next.done) enter(next.value);
      else {
        open.pop();
        ordered.push(last.name);
      }
    }
  }
  return ordered;
}
