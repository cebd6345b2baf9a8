/**
 * Which of several nodes reads next, by its index: the one with the least to do; of several such,
 * each in its turn. busy: of each node, how many connections are at work or waited for.
 */
export function pickNode(busy: readonly number[], turn: number): number {
  const least = Math.min(...busy);
  const idle = busy.flatMap((count, index) => (count === least ? [index] : []));
  return idle[turn % idle.length] ?? 0;
}
