import { TOPPER_BUCKET_SECONDS } from '../traffic/traffic.ts';

/** The condition of a rule. Thresholds are chosen so that some keys meet them occasionally. */
export type When =
  | { readonly key_above: number }
  | { readonly key_share_above: number }
  | { readonly key_in_top: number }
  | { readonly key_grows_by: number }
  | { readonly key_new_above: number }
  | { readonly total_above: number }
  | { readonly total_below: number };

/** A rule on the group's bytes, in the form of an `apply` file. */
export type MonthRule = {
  readonly name: string;
  readonly when: When;
  readonly window_seconds: number;
  readonly for_windows: number;
  readonly clear_windows: number;
  readonly max_keys: number;
  readonly filter: { readonly cidr: readonly string[] } | null;
};

const DEFAULTS = {
  window_seconds: TOPPER_BUCKET_SECONDS,
  for_windows: 1,
  clear_windows: 2,
  max_keys: 100,
  filter: null,
};

/** A quarter of the addresses (traffic/key-texts.ts). `plainEvents` checks their second byte. */
export const FILTERED_NETWORK = '10.0.0.0/10';

const rule = (name: string, when: When, more: Partial<MonthRule> = {}): MonthRule => {
  const named = { name, when };
  return Object.assign(named, DEFAULTS, more);
};

export const MONTH_RULES: readonly MonthRule[] = [
  rule('key above', { key_above: 2_000_000 }),
  rule(
    'key above, of a network',
    { key_above: 1_000_000 },
    {
      filter: { cidr: [FILTERED_NETWORK] },
    },
  ),
  rule('share above', { key_share_above: 0.05 }),
  rule('in the top 10', { key_in_top: 10 }),
  rule('grows by', { key_grows_by: 2_000_000 }),
  rule('new above', { key_new_above: 1_000_000 }),
  rule('total above', { total_above: 32_000_000 }),
  rule('total below', { total_below: 25_000_000 }, { for_windows: 2 }),
  rule('hourly above', { key_above: 10_000_000 }, { window_seconds: 3600, for_windows: 2 }),
];
