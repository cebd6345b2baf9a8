import { shown } from '../errors.ts';
import type { KeyFilter } from '../filters/key-filter.ts';
import { LIMITS } from '../limits.ts';
import {
  type Form,
  filterSizeMistake,
  RULE_FORMS,
  STORABLE,
  THRESHOLD_FORMS,
} from './rule-forms.ts';
import type { GivenRule, RuleMistake } from './rule-mistakes.ts';

/** A mistake in the form of a field of `AlertInput`. */
type GivenMistake = {
  /** The name of the field. */
  readonly field: string;
  /** What is wrong with it. */
  readonly text: string;
};

/** Returns the mistakes in the form of a rule, whatever its group is. */
export function givenMistakes(given: GivenRule): GivenMistake[] {
  const { condition, threshold } = given.when;
  const found = Object.entries(RULE_FORMS).flatMap(([field, form]) =>
    mistakeOf(field, form, given[field as keyof typeof RULE_FORMS]),
  );
  return [
    ...found,
    ...mistakeOf('threshold', THRESHOLD_FORMS[condition], threshold),
    ...filterFormMistakes(given.filter ?? {}),
  ];
}

function filterFormMistakes(filter: KeyFilter): GivenMistake[] {
  const wrongSize = filterSizeMistake(filter);
  return wrongSize === null
    ? textsOf(filter).flatMap(([field, text]) => mistakeOf(field, STORABLE, text))
    : [{ field: 'filter', text: ` ${wrongSize}` }];
}

/** null and undefined mean the default. */
const mistakeOf = (field: string, { must, accepts }: Form, given: unknown): GivenMistake[] =>
  given == null || accepts(given) ? [] : [{ field, text: ` must be ${must}, got ${shown(given)}` }];

/** The texts of a filter, each with where it is: `filter.cidr[0]`. */
const textsOf = (filter: KeyFilter): [field: string, text: string][] =>
  Object.entries(filter).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string'
      ? [[`filter.${name}`, value]]
      : value.map((text, i) => [`filter.${name}[${i}]`, text]),
  );

/** The fields of `AlertInput` that an `apply` file names otherwise. */
const FIELDS: Readonly<Record<RuleMistake['field'], string>> = {
  group: 'counterGroup',
  meter: 'meter',
  window_seconds: 'windowSeconds',
  when: 'condition',
  filter: 'filter',
};

/**
 * Returns the first mistakes in one text, those of the form first, and how many more there are;
 * null: there are none. A mistake that concerns the group is left out if its field already has one.
 */
export function mistakesText(
  inForm: readonly GivenMistake[],
  ofGroup: readonly RuleMistake[],
): string | null {
  const mistaken = new Set(inForm.map(({ field }) => field.replace(/[.[].*/, '')));
  const besides = ofGroup
    .map(({ field, text }) => ({ field: FIELDS[field], text: asInput(field, text) }))
    .filter(({ field }) => !mistaken.has(field));
  const all = [...inForm, ...besides].map(({ field, text }) => `alert.${field}${text}`);
  if (all.length === 0) return null;
  const named = all.slice(0, LIMITS.alertMistakes);
  const others = all.length - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}

/** In an `apply` file, the condition is the name of the threshold. */
const asInput = (field: RuleMistake['field'], text: string): string =>
  field === 'when' ? text.replace(/^\.\w+/, '') : text;
