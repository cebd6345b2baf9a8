import type { KeyFilter } from '../filters/key-filter.ts';
import { LIMITS } from '../limits.ts';
import { isName, isStorable, NAME_FORM } from '../text/storable-text.ts';
import type { AlertCondition } from './rule.ts';

/** The form of a value: what it must be, as messages say it, and whether it is. */
export type Form = {
  readonly must: string;
  readonly accepts: (given: unknown) => boolean;
};

/** What PostgreSQL's integer holds. */
export const MAX_INTEGER = 2 ** 31 - 1;

export const integerForm = (min: number, max: number): Form => ({
  must: `an integer from ${min} to ${max}`,
  accepts: (given) => Number.isInteger(given) && Number(given) >= min && Number(given) <= max,
});

export const NAMED: Form = {
  must: NAME_FORM,
  accepts: (given) => typeof given === 'string' && isName(given),
};

const isStorableText = (given: unknown): boolean => typeof given === 'string' && isStorable(given);

export const STORABLE: Form = {
  must: 'a text without NUL characters',
  accepts: isStorableText,
};

/** A text of limited length. */
export const textForm = (characters: number): Form => ({
  must: `a text of at most ${characters} characters, without NUL`,
  accepts: (given) => isStorableText(given) && [...String(given)].length <= characters,
});

/** Returns what is wrong with the size of a rule's filter; null: nothing is. */
export function filterSizeMistake(filter: KeyFilter): string | null {
  const characters = Object.values(filter).flat().join('\n').length;
  if (characters <= LIMITS.alertFilterCharacters) return null;
  return (
    `must have at most ${LIMITS.alertFilterCharacters} characters, its texts one a line, got ` +
    `${characters}: name networks or a pattern in place of many keys, or make several rules`
  );
}

const SAFE_INTEGER = integerForm(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);

/** The form of each condition's threshold. */
export const THRESHOLD_FORMS = {
  key_above: SAFE_INTEGER,
  key_share_above: {
    must: 'a number from 0 to 1',
    accepts: (given) => typeof given === 'number' && given >= 0 && given <= 1,
  },
  key_in_top: integerForm(1, LIMITS.alertKeys),
  key_grows_by: integerForm(0, Number.MAX_SAFE_INTEGER),
  key_new_above: SAFE_INTEGER,
  total_above: SAFE_INTEGER,
  total_below: SAFE_INTEGER,
  silent_seconds: integerForm(1, MAX_INTEGER),
} as const satisfies Record<AlertCondition, Form>;

/** The forms of the other fields of a rule. */
export const RULE_FORMS = {
  name: NAMED,
  meter: integerForm(0, MAX_INTEGER),
  windowSeconds: integerForm(1, MAX_INTEGER),
  probe: NAMED,
  forWindows: integerForm(1, LIMITS.alertWindows),
  clearWindows: integerForm(1, LIMITS.alertWindows),
  severity: NAMED,
  description: textForm(LIMITS.descriptionCharacters),
  maxKeys: integerForm(1, LIMITS.alertMaxKeys),
} as const satisfies Record<string, Form>;
