/**
 * The text that stands for all its spellings in upper and lower case, for searches that ignore
 * case beyond ASCII. Two texts are the same to a search when their folds are.
 *
 * JavaScript has no case folding of its own. Lower, upper and lower case in turn come to the same:
 * the upper case spells out what has no single counterpart (ß is SS, ﬁ is FI), and the first lower
 * case brings the one letter whose upper case does not (ẞ) to where it does.
 */
export function foldCase(text: string): string {
  const folded = text.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return (
    folded
      // Lower-casing writes a sigma at the end of a word as ς: a fold must not depend on place.
      .replaceAll('ς', 'σ')
      // The lower case of İ is an i with a dot above it: who looks for "istanbul" means İstanbul.
      .replaceAll(/i\u0307+/g, 'i')
      .normalize('NFC')
  );
}
