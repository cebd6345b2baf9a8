/**
 * Draws indexes with the given weights, each in constant time however many there are: the alias
 * method (Walker 1977; Vose 1991). All slots of the table are equally likely. A slot gives its own
 * index below a threshold, and another index above it.
 */
export function createDraw(weights: Float64Array, random: () => number): () => number {
  const { thresholds, aliases } = aliasTable(weights);
  const count = weights.length;
  return () => {
    const slot = Math.floor((random() / 2 ** 32) * count);
    return random() / 2 ** 32 < (thresholds[slot] ?? 1) ? slot : (aliases[slot] ?? slot);
  };
}

function aliasTable(weights: Float64Array): { thresholds: Float64Array; aliases: Int32Array } {
  const count = weights.length;
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const thresholds = weights.map((weight) => (weight * count) / sum);
  const aliases = Int32Array.from({ length: count }, (_, slot) => slot);
  const below: number[] = [];
  const above: number[] = [];
  thresholds.forEach((threshold, slot) => {
    (threshold < 1 ? below : above).push(slot);
  });
  // Fill up each slot that is not full from one that has too much.
  for (let small = below.pop(); small !== undefined; small = below.pop()) {
    const large = above.pop();
    if (large === undefined) break;
    aliases[small] = large;
    const left = (thresholds[large] ?? 0) + (thresholds[small] ?? 0) - 1;
    thresholds[large] = left;
    (left < 1 ? below : above).push(large);
  }
  return { thresholds, aliases };
}
