/**
 * Returns the index of the node to read from: the least busy one; equally busy nodes take turns.
 * busy: for each node, the number of connections in use or waited for.
 */
export function pickNode(busy: readonly number[], turn: number): number {
  const least = Math.min(...busy);
  const idle = busy.flatMap((count, index) => (count === least ? [index] : []));
  return idle[turn % idle.length] ?? 0;
}
