import type { z } from 'zod';
import { ToolFault } from '../tool-fault.ts';
import { shownJson } from './shown-json.ts';

/**
 * Reads the arguments of a call. Error: `ToolFault`, which lists everything that is wrong with
 * them.
 */
export function readArguments<Input extends z.ZodObject>(
  input: Input,
  given: unknown,
): z.output<Input> {
  const read = input.safeParse(given ?? {}, { reportInput: true });
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => faultOf(issue, input));
  throw new ToolFault([...new Set(faults)].join('; '));
}

function faultOf(issue: z.core.$ZodIssue, input: z.ZodObject): string {
  const place = issue.path.join('.');
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const unknown = issue.keys.join(', ');
    return `There is no argument ${unknown}; the arguments are ${names(input)}`;
  }
  if (issue.code === 'unrecognized_keys') return `${place} ${issue.message}`;
  if (place === '') return issue.message;
  if (issue.input === undefined) return `${place} is required; it ${issue.message}`;
  return `${place} ${issue.message}, got ${shownJson(issue.input)}`;
}

const names = (input: z.ZodObject): string => Object.keys(input.shape).join(', ') || 'none';
