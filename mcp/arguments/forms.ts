import { z } from 'zod';
import { shortened } from '../../domain/errors.ts';

/** The error of each form says what the value must be. */

/** Names the unknown arguments or fields of a call. */
export const unknownNames = ({ keys }: { readonly keys: readonly string[] }): string =>
  shortened(keys.join(', '));

export const text = (what: string) =>
  z.string({ error: `must be ${what}` }).min(1, { error: `must be ${what}` });

export function integer(from: number, to: number) {
  const error = `must be an integer from ${from} to ${to}`;
  return z.int({ error }).min(from, { error }).max(to, { error });
}

export function number(from: number, to: number) {
  const error = `must be a number from ${from} to ${to}`;
  return z.number({ error }).min(from, { error }).max(to, { error });
}

export const yesOrNo = () => z.boolean({ error: 'must be true or false' });

export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

export const listOf = (what: string) =>
  z.array(z.string({ error: `must be ${what}` }), { error: `must be a list, each ${what}` });

export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `has no field ${unknownNames(issue)}; it has ${names}`
        : `must be an object with ${names}`,
  });
}
