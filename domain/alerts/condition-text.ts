import type { AlertWhen } from './rule.ts';

/** A condition in words: `a key above 1000000000`. */
export function conditionText({ condition, threshold }: AlertWhen): string {
  switch (condition) {
    case 'key_above':
      return `a key above ${threshold}`;
    case 'key_share_above':
      return `a key above ${percent(threshold)} of the total`;
    case 'key_in_top':
      return `a key in the top ${threshold}`;
    case 'key_grows_by':
      return `a key growing by more than ${threshold}`;
    case 'key_new_above':
      return `a new key above ${threshold}`;
    case 'total_above':
      return `the total above ${threshold}`;
    case 'total_below':
      return `the total below ${threshold}`;
    case 'silent_seconds':
      return `no new data for more than ${threshold} seconds`;
    default:
      return condition satisfies never;
  }
}

/** Rounded to twelve digits, as 0.07 × 100 is 7.000000000000001. */
const percent = (share: number): string => `${Number((share * 100).toPrecision(12))}%`;
