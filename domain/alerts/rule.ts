import type { KeyFilter } from '../filters/key-filter.ts';
import type { EpochSeconds } from '../time/interval.ts';

/** What a rule compares with its threshold (operations, "Alerts in an `apply` file"). */
export const ALERT_CONDITIONS = [
  'key_above',
  'key_share_above',
  'key_in_top',
  'key_grows_by',
  'key_new_above',
  'total_above',
  'total_below',
  'silent_seconds',
] as const;

export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

export type AlertWhen = { readonly condition: AlertCondition; readonly threshold: number };

/** A rule as it was declared, with defaults for what was left out. */
export type AlertRule = {
  readonly name: string;
  readonly groupId: number;
  readonly meterId: number;
  readonly windowSeconds: number;
  readonly when: AlertWhen;
  /** null: all keys. */
  readonly filter: KeyFilter | null;
  /** The name of a probe, which need not exist yet; null: all readings. */
  readonly probe: string | null;
  readonly forWindows: number;
  readonly clearWindows: number;
  readonly severity: string;
  readonly description: string | null;
  readonly maxKeys: number;
  readonly enabled: boolean;
};

/** While it lasts, no sink is told of events of the rule that begin. */
export type Silence = {
  readonly until: EpochSeconds;
  /** The name of the user who set it. */
  readonly by: string;
  readonly reason: string | null;
};
