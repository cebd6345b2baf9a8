/** Something to be read, and about how many readings it has. */
type Piece = { readonly readings: number };

/** Pieces in their order, as many together as have `most` readings or are one. */
export function inBatches<P extends Piece>(pieces: readonly P[], most: number): P[][] {
  const batches: P[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const last = batches.at(-1);
    if (last && piece.readings <= left) {
      last.push(piece);
      left -= piece.readings;
    } else {
      batches.push([piece]);
      left = most - piece.readings;
    }
  }
  return batches;
}
