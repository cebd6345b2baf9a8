import { malformed } from '../../domain/errors.ts';
import { parseBoolean, parseInteger } from '../../domain/text/numeric-text.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { Parameters } from './parameters.ts';

/**
 * A parameter of an endpoint: how its value is read, and its description for callers, in one place.
 * The OpenAPI document (openapi.ts) and the reference pages are generated from these.
 */
export type Parameter<T> = {
  readonly name: string;
  /** The form of its values, in a few words: `boolean`, `GUID`. */
  readonly form: string;
  /** Its default, as callers would write it; null: there is none. */
  readonly absent: string | null;
  readonly required: boolean;
  /** Its meaning, in Markdown without a full stop. */
  readonly meaning: string;
  readonly schema: JsonSchema;
  /** A value as a caller may send it; the examples of one endpoint can be sent together. */
  readonly example: unknown;
  /** Errors: 400 for a malformed value. */
  readonly read: (parameters: Parameters) => T;
};

type Named = { readonly name: string; readonly meaning: string; readonly example: unknown };

type TextOptions = Named & {
  readonly form?: string;
  readonly required?: true;
  readonly schema?: JsonSchema;
};

/** null: not given. */
export const textParameter = ({
  name,
  meaning,
  example,
  form = 'text',
  required,
  schema,
}: TextOptions): Parameter<string | null> => ({
  name,
  meaning,
  example,
  form,
  absent: null,
  required: required ?? false,
  schema: { type: 'string', ...schema },
  read: (parameters) => parameters.text(name),
});

/** Decision 2: also numbers and words. No schema can express that case does not matter. */
const BOOLEANS: JsonSchema = {
  oneOf: [
    { type: 'boolean' },
    { type: 'integer', enum: [0, 1] },
    { type: 'string', enum: ['yes', 'no', 'on', 'off'] },
  ],
};

export const booleanParameter = (
  { name, meaning, example }: Named,
  absent: boolean,
): Parameter<boolean> => ({
  name,
  meaning,
  example,
  form: 'boolean',
  absent: String(absent),
  required: false,
  schema: { ...BOOLEANS, default: absent },
  read(parameters) {
    const text = parameters.text(name);
    if (text === null) return absent;
    const value = parseBoolean(text);
    if (value === null) {
      throw malformed(name, 'one of true, 1, yes, on, false, 0, no, off', text);
    }
    return value;
  },
});

/** null: not given. */
export const integerParameter = ({ name, meaning, example }: Named): Parameter<number | null> => ({
  name,
  meaning,
  example,
  form: 'integer',
  absent: null,
  required: false,
  schema: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
  read(parameters) {
    const text = parameters.text(name);
    if (text === null) return null;
    const value = parseInteger(text);
    if (value === null) throw malformed(name, 'an integer', text);
    return value;
  },
});

type Range = Named & { readonly min: number; readonly max: number; readonly absent: number };

export const rangeParameter = ({
  name,
  meaning,
  example,
  min,
  max,
  absent,
}: Range): Parameter<number> => ({
  name,
  meaning,
  example,
  form: `integer, ${min} to ${max}`,
  absent: String(absent),
  required: false,
  schema: { type: 'integer', minimum: min, maximum: max, default: absent },
  read(parameters) {
    const text = parameters.text(name);
    if (text === null) return absent;
    const value = parseInteger(text);
    if (value === null || value < min || value > max) {
      throw malformed(name, `an integer from ${min} to ${max}`, text);
    }
    return value;
  },
});

/** One of a few words; the first is the default. */
export const wordParameter = <const Word extends string>(
  { name, meaning, example }: Named,
  words: readonly [Word, ...Word[]],
): Parameter<Word> => ({
  form: words.map((word) => `\`${word}\``).join(' or '),
  name,
  meaning,
  example,
  absent: words[0],
  required: false,
  schema: { type: 'string', enum: words, default: words[0] },
  read(parameters) {
    const text = parameters.text(name);
    if (text === null) return words[0];
    const word = words.find((each) => each === text);
    if (word === undefined) throw malformed(name, `one of ${words.join(', ')}`, text);
    return word;
  },
});
