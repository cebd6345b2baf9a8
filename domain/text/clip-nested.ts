/** Levels of lists and objects, and entries of each, that a message may show. */
const LEVELS = 6;
const ENTRIES = 100;

/**
 * Returns the value of a JSON text without what a message would not show anyway: `JSON.stringify` is
 * recursive, and ends in an error if a value is nested some thousands of levels deep. `isLeaf`: an
 * object that stands for a single value.
 */
export function clipNested(
  value: unknown,
  isLeaf: (value: object) => boolean = () => false,
  levels = LEVELS,
): unknown {
  if (typeof value !== 'object' || value === null || isLeaf(value)) return value;
  if (levels === 0) return '…';
  const clip = (item: unknown) => clipNested(item, isLeaf, levels - 1);
  if (Array.isArray(value)) return value.slice(0, ENTRIES).map(clip);
  const entries = Object.entries(value).slice(0, ENTRIES);
  return Object.fromEntries(entries.map(([name, item]) => [name, clip(item)]));
}
