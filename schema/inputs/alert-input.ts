import type { GivenRule } from '../../domain/alerts/rule-mistakes.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { builder } from '../builder.ts';
import { AlertComparisonEnum } from '../enums.ts';
import { decodeFilter, KeyFilterInput } from './key-filter-input.ts';

export const AlertInput = builder.inputType('AlertInput', {
  description:
    'A whole rule, as in an `apply` file: what is left out, or null, has its default, whatever it was before.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Its name, which is unique in the context.' }),
    counterGroup: t.field({
      type: 'Guid',
      required: true,
      description: 'GUID of the group that it watches.',
    }),
    condition: t.field({
      type: AlertComparisonEnum,
      required: true,
      description: 'What it compares with the threshold.',
    }),
    threshold: t.float({
      required: true,
      description:
        'An integer; with KEY_SHARE_ABOVE a number from 0 to 1. Amounts are of a whole window: 100 Mbit/s in five minutes is 3,750,000,000 bytes.',
    }),
    meter: t.int({ description: 'Number of the meter that it compares; default: 0.' }),
    windowSeconds: t.int({
      description:
        'Length of a window, a multiple of topperBucketSize; default: one topper bucket.',
    }),
    filter: t.field({ type: KeyFilterInput, description: 'Which keys count; default: all.' }),
    probe: t.string({ description: 'The only probe whose readings count; default: all.' }),
    forWindows: t.int({
      description:
        'How many windows in a row must meet the condition before an event begins, at most 1,000; default: 1.',
    }),
    clearWindows: t.int({
      description:
        'How many windows in a row must not meet it before an event ends, at most 1,000; default: 1.',
    }),
    severity: t.string({
      description: 'A word that receivers can route by; default: `warning`.',
    }),
    description: t.string({ description: 'A text for receivers, at most 10,000 characters.' }),
    maxKeys: t.int({
      description: 'How many keys may fire at once, at most 1,000; default: 100.',
    }),
    enabled: t.boolean({ description: 'Whether it is evaluated; default: true.' }),
    replaces: t.string({
      description:
        'For `saveAlert`: name of the rule that it replaces, which need not be the new name; left out: it is a new rule.',
    }),
  }),
});

type DecodedAlert = { readonly given: GivenRule; readonly counterGroup: Guid };

/** Returns the rule that is given. */
export function decodeAlert(alert: typeof AlertInput.$inferInput): DecodedAlert {
  const { condition, threshold, filter, counterGroup, ...others } = alert;
  const given = {
    ...others,
    when: { condition, threshold },
    filter: filter && decodeFilter(filter),
  };
  return { given, counterGroup };
}
