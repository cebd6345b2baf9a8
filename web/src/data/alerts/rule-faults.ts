import type { FilterTexts } from './rule-texts.ts';

/** The fields of a form in which a mistake can be shown. */
const FIELDS = [
  'name',
  'severity',
  'description',
  'meter',
  'condition',
  'threshold',
  'windowSeconds',
  'probe',
  'forWindows',
  'clearWindows',
  'maxKeys',
] as const;

const FILTER_FIELDS = [
  'cidr',
  'excludeCidr',
  'keys',
  'excludeKeys',
  'search',
  'match',
  'exclude',
] as const satisfies readonly (keyof FilterTexts)[];

export type RuleField = (typeof FIELDS)[number] | (typeof FILTER_FIELDS)[number];

/** What is wrong with a rule, by field, and what concerns none of them; null: nothing. */
export type RuleFaults = {
  readonly fields: ReadonlyMap<RuleField, string>;
  readonly rest: string | null;
};

/** The server names all mistakes: `Invalid alert - alert.name must be …; alert.filter.cidr must …`. */
export function ruleFaults(message: string): RuleFaults {
  const [, mistakes] = /^Invalid alert - (.*)$/s.exec(message) ?? [];
  if (mistakes === undefined) return { fields: new Map(), rest: `${message}.` };
  const fields = new Map<RuleField, string>();
  const rest: string[] = [];
  for (const mistake of mistakes.split(/; (?=alert\.)/)) {
    const [, path = '', text = ''] = /^alert\.(\S+?)(?:\[\d+\])?,? (.*)$/s.exec(mistake) ?? [];
    const field = fieldOf(path);
    if (field === null) rest.push(`${mistake}.`);
    else fields.set(field, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
  }
  return { fields, rest: rest.length > 0 ? rest.join(' ') : null };
}

const fieldOf = (path: string): RuleField | null =>
  FIELDS.find((each) => each === path) ??
  FILTER_FIELDS.find((each) => `filter.${each}` === path) ??
  null;

/** The faults of fields that are no numbers. */
export const notNumbers = (fields: readonly RuleField[]): RuleFaults => ({
  fields: new Map(
    fields.map((field) => [
      field,
      field === 'threshold' ? 'Must be a number, such as 100 or 2.5.' : 'Must be a whole number.',
    ]),
  ),
  rest: null,
});
