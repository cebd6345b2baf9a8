import type { z } from 'zod';
import { ToolFault } from '../tool-fault.ts';
import { unknownNames } from './forms.ts';
import { shownJson } from './shown-json.ts';
import { withoutNulls } from './without-nulls.ts';

/** Maximum number of faults that an error lists: a list may have thousands of wrong values. */
const LISTED_FAULTS = 10;

/**
 * Reads the arguments of a call. Error: `ToolFault`, which lists what is wrong with them.
 */
export function readArguments<Input extends z.ZodObject>(
  input: Input,
  given: unknown,
): z.output<Input> {
  const read = input.safeParse(withoutNulls(given) ?? {}, { reportInput: true });
  if (read.success) return read.data;
  const { issues } = read.error;
  const faults = issues.slice(0, LISTED_FAULTS).map((issue) => faultOf(issue, input));
  const more = issues.length - LISTED_FAULTS;
  if (more > 0) faults.push(`and ${more} more`);
  throw new ToolFault([...new Set(faults)].join('; '));
}

function faultOf(issue: z.core.$ZodIssue, input: z.ZodObject): string {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    return `There is no argument ${unknownNames(issue)}; the arguments are ${names(input)}`;
  }
  if (issue.code === 'unrecognized_keys') return `${place} ${issue.message}`;
  if (place === '') return issue.message;
  if (issue.input === undefined) return `${place} is required; it ${issue.message}`;
  return `${place} ${issue.message}, got ${shownJson(issue.input)}`;
}

const names = (input: z.ZodObject): string => Object.keys(input.shape).join(', ') || 'none';
