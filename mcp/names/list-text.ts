import { printable } from '../../domain/text/printable.ts';

/** Maximum number of names that an error lists; more would not help anyone to choose. */
const LISTED = 50;

export function listText(names: readonly string[]): string {
  const more = names.length - LISTED;
  const listed = names.slice(0, LISTED).map(printable).join(', ');
  return more > 0 ? `${listed} and ${more} more` : listed;
}
