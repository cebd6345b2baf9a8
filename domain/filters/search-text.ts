/**
 * Maps all spellings of a text in upper and lower case to one, for searches that ignore case beyond
 * ASCII. Two texts are the same to a search if their folds are equal.
 *
 * JavaScript has no case folding. Lower, upper and again lower case have the same effect. The upper
 * case spells out characters without a single counterpart (ß is SS, ﬁ is FI). The first lower case
 * is for ẞ, the one letter whose upper case does not do that: it becomes ß.
 */
export function foldCase(text: string): string {
  const folded = text.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return (
    folded
      // Lower-casing writes a sigma at the end of a word as ς: a fold must not depend on position.
      .replaceAll('ς', 'σ')
      // The lower case of İ is an i with a dot above: "istanbul" must find İstanbul.
      .replaceAll(/i\u0307+/g, 'i')
      .normalize('NFC')
  );
}
