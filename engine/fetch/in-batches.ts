/** Something to read, and approximately how many readings it has. */
type Piece = { readonly readings: number };

/** Groups consecutive pieces into batches of at most `max` readings, or of one piece. */
export function inBatches<P extends Piece>(pieces: readonly P[], max: number): P[][] {
  const batches: P[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const last = batches.at(-1);
    if (last && piece.readings <= left) {
      last.push(piece);
      left -= piece.readings;
    } else {
      batches.push([piece]);
      left = max - piece.readings;
    }
  }
  return batches;
}
