import type { z } from 'zod';
import { shortened } from '../../domain/errors.ts';
import { isObject } from '../../domain/is-object.ts';
import { clipNested } from '../../domain/text/clip-nested.ts';
import { ToolFault } from '../tool-fault.ts';
import { unknownNames } from './forms.ts';

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

/** Formats a given value for messages: as JSON, truncated if it is long or deep. */
const shownJson = (value: unknown): string => shortened(JSON.stringify(clipNested(value)));

/** Levels of objects in arguments: `window.interval.from` has three. */
const LEVELS = 3;

/**
 * Leaves out every field that is null, as GraphQL does with optional arguments: some clients send
 * null for all that the model has not filled in. Lists keep their values. Deeper objects, which no
 * argument has, are returned as they are.
 */
function withoutNulls(value: unknown, levels = LEVELS): unknown {
  if (!isObject(value) || levels === 0) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each, levels - 1)]));
}
