import { shortened } from '../../domain/errors.ts';

/** Levels of lists and objects that a message shows: enough for any valid argument. */
const SHOWN_LEVELS = 4;

/** Formats a given value for messages: as JSON, truncated if it is long or deep. */
export const shownJson = (value: unknown): string =>
  shortened(JSON.stringify(withoutDepth(value, SHOWN_LEVELS)));

/** JSON.stringify exceeds the stack with lists in lists, some thousand levels deep. */
function withoutDepth(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '…';
  if (Array.isArray(value)) return value.map((each) => withoutDepth(each, levels - 1));
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    withoutDepth(each, levels - 1),
  ]);
  return Object.fromEntries(fields);
}
