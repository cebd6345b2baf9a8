/**
 * Returns the index of the node to read from: the least busy one; equally busy ones rotate.
 * busy: for each node, the number of connections in use or waited for.
 */
export function pickNode(busy: readonly number[], rotation: number): number {
  const min = Math.min(...busy);
  const idle = busy.flatMap((count, index) => (count === min ? [index] : []));
  return idle[rotation % idle.length] ?? 0;
}
