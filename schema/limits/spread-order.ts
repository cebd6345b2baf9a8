import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql';

/** The fragments of a document by name. Of two with the same name, which is invalid, the last. */
export const fragmentsOf = (document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION
        ? [[definition.name.value, definition] as const]
        : [],
    ),
  );

/**
 * Orders all names so that each comes after those that it spreads, which `spreadsOf` returns. In
 * this order, a result is computed once for each fragment, however often the fragment is spread. In
 * a cycle, which is invalid, one link is ignored: its names come in some order.
 *
 * Searches depth first with an explicit stack: a chain of fragments may be longer than the call
 * stack.
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
