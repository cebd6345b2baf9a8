import { ServiceError } from '../errors.ts';
import { compileKeyFilter, isEmptyFilter, type KeyFilter } from '../filters/key-filter.ts';
import type { SimpleKeyKind } from '../keys/key-kind.ts';
import { aggregateOf, isCounting } from '../toppers/meter-type.ts';
import type { AlertRule, AlertWhen } from './rule.ts';

/** A group that a rule is to watch. */
export type RuleGroup = {
  readonly groupId: number;
  readonly name: string;
  readonly topperBucketSize: number;
  readonly enabled: boolean;
  readonly meters: readonly {
    readonly id: number;
    readonly type: number;
    readonly name: string;
  }[];
};

/** A rule as it is given; what is left out, or null, has its default. */
export type GivenRule = {
  readonly name: string;
  readonly when: AlertWhen;
  readonly meter?: number | null | undefined;
  readonly windowSeconds?: number | null | undefined;
  readonly filter?: KeyFilter | null | undefined;
  readonly probe?: string | null | undefined;
  readonly forWindows?: number | null | undefined;
  readonly clearWindows?: number | null | undefined;
  readonly severity?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly maxKeys?: number | null | undefined;
  readonly enabled?: boolean | null | undefined;
};

/**
 * Returns the wanted rule. A rule is replaced as a whole: an omitted field gets its default,
 * whatever it was before.
 */
export function wantedRule(given: GivenRule, group: RuleGroup): AlertRule {
  const { filter } = given;
  return {
    name: given.name,
    groupId: group.groupId,
    meterId: given.meter ?? 0,
    windowSeconds: given.windowSeconds ?? group.topperBucketSize,
    when: given.when,
    filter: filter && !isEmptyFilter(filter) ? filter : null,
    probe: given.probe ?? null,
    forWindows: given.forWindows ?? 1,
    clearWindows: given.clearWindows ?? 1,
    severity: given.severity ?? 'warning',
    description: given.description ?? null,
    maxKeys: given.maxKeys ?? 100,
    enabled: given.enabled ?? true,
  };
}

/** A mistake of a rule: which field, named as in an `apply` file, and what is wrong with it. */
export type RuleMistake = {
  readonly field: 'group' | 'meter' | 'window_seconds' | 'when' | 'filter';
  /** What follows the name of the field, such as `.cidr must be …`. */
  readonly text: string;
};

/**
 * Returns the mistakes of a rule that concern its group; `kinds` are those of the group's keys, or
 * of the parts of a cross-key.
 */
export function ruleMistakes(
  { enabled, meterId, windowSeconds, when, filter }: AlertRule,
  group: RuleGroup,
  kinds: readonly SimpleKeyKind[],
): RuleMistake[] {
  const mistakes: RuleMistake[] = [];
  const demand = (holds: boolean, field: RuleMistake['field'], text: string): void => {
    if (!holds) mistakes.push({ field, text });
  };
  demand(
    group.enabled || !enabled,
    'group',
    ` must be an enabled group, but ${group.name} is not: enable it, or disable the alert`,
  );
  const meter = group.meters.find(({ id }) => id === meterId);
  const aggregate = meter ? aggregateOf(meter.type) : null;
  demand(
    aggregate !== null,
    'meter',
    ` must be a meter of ${group.name} that can be ranked, got ${meterId}`,
  );
  demand(
    windowSeconds % group.topperBucketSize === 0,
    'window_seconds',
    ` must be a multiple of topper_bucket_size ${group.topperBucketSize}, got ${windowSeconds}`,
  );
  demand(
    when.condition !== 'key_share_above' || aggregate === null || isCounting(aggregate),
    'when',
    `.key_share_above must be of a meter whose values add up, but ${meter?.name} has another ` +
      'type: use key_above',
  );
  if (filter === null) return mistakes;
  demand(
    when.condition !== 'silent_seconds',
    'filter',
    ' must be left out with silent_seconds, which is about the whole group',
  );
  return [...mistakes, ...filterMistakes(filter, kinds)];
}

/** Checks each part of a filter by itself, so that all mistakes are reported. */
function filterMistakes(filter: KeyFilter, kinds: readonly SimpleKeyKind[]): RuleMistake[] {
  return Object.entries(filter).flatMap(([name, given]): RuleMistake[] => {
    try {
      compileKeyFilter({ [name]: given }, kinds, { match: 'match', exclude: 'exclude' });
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [{ field: 'filter', text: `.${error.message}` }];
    }
  });
}
