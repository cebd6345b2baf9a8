/** How urgent a severity is, for its colour; texts show the rule's own word. */
export type Urgency = 'high' | 'medium' | 'low';

/** The words that common alerting systems use, worst first. */
const WORDS: readonly (readonly [Urgency, readonly string[]])[] = [
  ['high', ['emergency', 'disaster', 'fatal', 'critical', 'crit', 'page', 'alert']],
  ['high', ['major', 'high', 'error']],
  ['medium', ['warning', 'warn', 'average', 'medium', 'moderate']],
  ['low', ['minor', 'low']],
  ['low', ['info', 'informational', 'information', 'notice', 'none', 'debug']],
];

/** The index of `warning`, the default of a rule. */
const UNKNOWN = 2;

const placeOf = (severity: string): number => {
  const word = severity.trim().toLowerCase();
  const place = WORDS.findIndex(([, words]) => words.includes(word));
  return place < 0 ? UNKNOWN : place;
};

/**
 * Returns the urgency of a severity. Rules may use any word; an unknown one counts as a warning.
 */
export const urgencyOf = (severity: string): Urgency => WORDS[placeOf(severity)]?.[0] ?? 'medium';

/** Worst first; equals in alphabetical order. */
export const compareSeverities = (a: string, b: string): number =>
  placeOf(a) - placeOf(b) || (a < b ? -1 : a > b ? 1 : 0);
