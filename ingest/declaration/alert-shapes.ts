import { z } from 'zod';
import { ALERT_CONDITIONS, type AlertCondition, type AlertWhen } from '../../domain/alerts/rule.ts';
import { filterSizeMistake, RULE_FORMS, THRESHOLD_FORMS } from '../../domain/alerts/rule-forms.ts';
import {
  declaredChoice,
  declaredList,
  declaredText,
  flag,
  formed,
  guid,
  name,
  object,
  value,
  variableName,
} from './declared-value.ts';

const THRESHOLDS = {
  key_above: formed<number>(THRESHOLD_FORMS.key_above),
  key_share_above: formed<number>(THRESHOLD_FORMS.key_share_above),
  key_in_top: formed<number>(THRESHOLD_FORMS.key_in_top),
  key_grows_by: formed<number>(THRESHOLD_FORMS.key_grows_by),
  key_new_above: formed<number>(THRESHOLD_FORMS.key_new_above),
  total_above: formed<number>(THRESHOLD_FORMS.total_above),
  total_below: formed<number>(THRESHOLD_FORMS.total_below),
  silent_seconds: formed<number>(THRESHOLD_FORMS.silent_seconds),
} satisfies Record<AlertCondition, z.ZodType<number>>;

const WHEN = object(z.object(THRESHOLDS).partial().shape)
  .refine((when) => Object.keys(when).length === 1, {
    error: `must have exactly one of ${ALERT_CONDITIONS.join(', ')}`,
  })
  .transform((when): AlertWhen => {
    for (const condition of ALERT_CONDITIONS) {
      const threshold = when[condition];
      if (threshold !== undefined) return { condition, threshold };
    }
    throw new Error('a rule without a condition');
  });

const texts = declaredList(declaredText).exactOptional();

/** Has the fields of KeyFilterInput. */
const FILTER = object({
  match: declaredText.exactOptional(),
  exclude: declaredText.exactOptional(),
  keys: texts,
  excludeKeys: texts,
  cidr: texts,
  excludeCidr: texts,
  search: declaredText.exactOptional(),
}).superRefine((filter, context) => {
  const message = filterSizeMistake(filter);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

const RULE = object({
  name,
  group: guid,
  meter: formed<number>(RULE_FORMS.meter).optional(),
  window_seconds: formed<number>(RULE_FORMS.windowSeconds).optional(),
  when: WHEN,
  filter: FILTER.nullable().optional(),
  probe: formed<string>(RULE_FORMS.probe).nullable().optional(),
  for_windows: formed<number>(RULE_FORMS.forWindows).optional(),
  clear_windows: formed<number>(RULE_FORMS.clearWindows).optional(),
  severity: formed<string>(RULE_FORMS.severity).optional(),
  description: formed<string>(RULE_FORMS.description).nullable().optional(),
  max_keys: formed<number>(RULE_FORMS.maxKeys).optional(),
  enabled: flag.optional(),
  replace: flag.optional(),
  remove: value<false>('true or false', (given) => given === false).optional(),
});

/** URL parsers drop line breaks and escape other control characters, and NUL cannot be stored. */
const isAddress = (given: unknown): boolean =>
  typeof given === 'string' &&
  !/[\s\p{Control}\p{Surrogate}]/u.test(given) &&
  z.url({ protocol: /^https?$/ }).safeParse(given).success;

const NOTIFY = object({
  name,
  kind: declaredChoice(['webhook', 'alertmanager']),
  url: value<string>('an address such as https://host/path', isAddress).optional(),
  url_env: variableName.optional(),
  secret_env: variableName.optional(),
  remove: value<false>('true or false', (given) => given === false).optional(),
})
  .refine((sink) => (sink.url === undefined) !== (sink.url_env === undefined), {
    error: 'must have either url or url_env',
  })
  .refine(({ kind, secret_env }) => secret_env === undefined || kind === 'webhook', {
    path: ['secret_env'],
    error: 'must be left out: only webhooks are signed',
  });

/** A removal is identified by its name; other fields are ignored. */
const REMOVAL = z.looseObject({
  name,
  replace: flag.optional().catch(undefined),
  remove: z.literal(true),
});

/** Accepts `shape`, or a removal by name. */
const removable = <T extends z.ZodType>(shape: T) =>
  z.unknown().transform((given, context): z.infer<T> | z.infer<typeof REMOVAL> => {
    const isRemoval = typeof given === 'object' && given !== null && 'remove' in given;
    const result = (isRemoval && given.remove === true ? REMOVAL : shape).safeParse(given);
    if (result.success) return result.data;
    for (const issue of result.error.issues) {
      // A reported issue lacks only the input that a raw issue has.
      context.issues.push({ ...issue, input: given } as z.core.$ZodRawIssue);
    }
    return z.NEVER;
  });

export const ALERT = removable(RULE);
export const SINK = removable(NOTIFY);

/**
 * Like ALERT, but a rule that has mistakes is returned without the fields that have them, so that
 * the others can still be checked; null if a required field has one.
 */
export const ALERT_IN_PART = z.unknown().transform((given): DeclaredAlert | Removal | null => {
  const { data, error } = ALERT.safeParse(given);
  if (data) return data;
  if (typeof given !== 'object' || given === null) return null;
  const mistaken = new Set((error?.issues ?? []).flatMap(fieldsOf));
  const others = Object.entries(given).filter(([name]) => !mistaken.has(name));
  const rest = RULE.safeParse(Object.fromEntries(others)).data;
  return rest ? { ...rest, mistaken } : null;
});

/** The fields of a rule that an issue is about. */
const fieldsOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys' && issue.path.length === 0
    ? issue.keys
    : issue.path.slice(0, 1).map(String);

export type DeclaredAlert = z.infer<typeof RULE> & {
  /** Left out, because they have mistakes. */
  readonly mistaken?: ReadonlySet<string>;
};
export type DeclaredSink = z.infer<typeof NOTIFY>;
export type Removal = z.infer<typeof REMOVAL>;

export const isRemoval = (declared: { remove?: boolean | undefined }): declared is Removal =>
  declared.remove === true;
