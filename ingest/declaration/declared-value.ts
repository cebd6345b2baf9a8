import { z } from 'zod';
import { type Form, integerForm, NAMED, STORABLE } from '../../domain/alerts/rule-forms.ts';
import { type Guid, parseGuid } from '../../domain/text/guid.ts';
import { shownJsonValue } from '../lines/json-line.ts';

/** Returns the value unchanged if `accepts` allows it; `must` describes the allowed values. */
export const value = <T>(must: string, accepts: (given: unknown) => boolean) =>
  z.custom<T>(accepts, { error: `must be ${must}` });

/** Accepts what has a form. */
export const formed = <T>({ must, accepts }: Form) => value<T>(must, accepts);

export const declaredInteger = (min: number, max: number) => formed<number>(integerForm(min, max));

export const name = formed<string>(NAMED);

export const declaredText = formed<string>(STORABLE);

export const flag = value<boolean>('true or false', (given) => typeof given === 'boolean');

export const guid = z.unknown().transform((given, context): Guid => {
  const parsed = typeof given === 'string' ? parseGuid(given) : null;
  if (parsed !== null) return parsed;
  const message = 'must be a GUID such as {4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

export const declaredChoice = <const T>(choices: readonly T[]) =>
  value<T>(choices.map((choice) => JSON.stringify(choice)).join(' or '), (given) =>
    choices.some((choice) => choice === given),
  );

export const variableName = value<string>(
  'the name of an environment variable',
  (given) => typeof given === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(given),
);

export const object = <T extends z.core.$ZodLooseShape>(shape: T) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `must have no ${issue.keys.map(shownJsonValue).join(', ')}: ` +
          `it may have ${Object.keys(shape).join(', ')}`
        : 'must be an object',
  });

export const declaredList = <T extends z.ZodType>(element: T) =>
  z.array(element, { error: 'must be a list' });
