import { isIP } from 'node:net';
import { z } from 'zod';
import { shown } from '../../domain/errors.ts';

type Rule<T> = { readonly must: string; readonly schema: z.ZodType<T, string> };

type Variable<T, F> = Rule<T> & {
  readonly fallback: F;
  readonly remedy?: string;
  /** What is wrong with a value, instead of the value, and what to do about it. */
  readonly explain?: (given: string) => { readonly got: string; readonly remedy: string } | null;
};

/** Returns a variable's schema: unset or empty means the fallback; any other value must fit. */
export function setting<T, const F>({
  fallback,
  must,
  schema,
  remedy,
  explain = () => null,
}: Variable<T, F>) {
  const advice = remedy ?? `unset it for ${String(fallback ?? '') || 'none'}`;
  return z
    .string()
    .optional()
    .transform((given, context): T | F => {
      if (given === undefined || given === '') {
        return fallback;
      }
      const parsed = schema.safeParse(given);
      if (parsed.success) {
        return parsed.data;
      }
      const { got, remedy: first } = explain(given) ?? { got: shown(given), remedy: 'correct it' };
      const message = `must be ${must}, got ${got}: ${first}, or ${advice}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({ must, fallback });
}

export function wholeNumber(least: number, most: number): Rule<number> {
  return {
    must: `an integer from ${least} to ${most}`,
    schema: z
      .string()
      .regex(/^\d{1,10}$/)
      .transform(Number)
      .refine((number) => number >= least && number <= most),
  };
}

export function oneOf<const T extends string>(names: readonly T[]): Rule<T> {
  return { must: `one of ${names.join(', ')}`, schema: z.enum(names) as z.ZodType<T, string> };
}

/** Parses a comma-separated list; spaces around an item are ignored. */
export function listOf(item: z.ZodType<string, string>): z.ZodType<string[], string> {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(item));
}

export const isOrigin = (text: string): boolean =>
  isPublicUrl(text) && new URL(text).pathname === '/';

/** Whether a text is the address of pages: an origin, perhaps with a path. */
export function isPublicUrl(text: string): boolean {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) {
    return false;
  }
  const { search, hash, username, password } = new URL(text);
  return `${search}${hash}${username}${password}` === '';
}

/** Returns it without a slash at its end. */
export const canonicalPublicUrl = (text: string): string => new URL(text).href.replace(/\/+$/, '');

/** Returns an origin as browsers write it: lower case, no default port, no trailing slash. */
export function canonicalOrigin(text: string): string {
  return new URL(text).origin;
}

/** Whether a text is an IP address or a network in CIDR form. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (prefix === undefined) {
    return bits > 0;
  }
  return rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}
