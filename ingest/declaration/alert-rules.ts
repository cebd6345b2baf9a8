import type { GroupRow } from '../../db/sql/declaration.ts';
import type { AlertRule } from '../../domain/alerts/rule.ts';
import { ServiceError } from '../../domain/errors.ts';
import { compileKeyFilter, type KeyFilter } from '../../domain/filters/key-filter.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { aggregateOf, isCounting } from '../../domain/toppers/meter-type.ts';
import { keyKinds } from '../key-kinds.ts';

/**
 * Returns the mistakes of a rule that concern its group; `groups` are all groups of the context.
 */
export function alertMistakes(
  { enabled, meterId, windowSeconds, when, filter }: AlertRule,
  group: GroupRow,
  groups: readonly GroupRow[],
): string[] {
  const mistakes: string[] = [];
  const demand = (holds: boolean, mistake: string): void => {
    if (!holds) mistakes.push(mistake);
  };
  demand(
    group.enabled || !enabled,
    `.group must be an enabled group, but ${group.name} is not: enable it, or disable the alert`,
  );
  const meter = group.meters.find(({ id }) => id === meterId);
  const aggregate = meter ? aggregateOf(meter.type) : null;
  demand(
    aggregate !== null,
    `.meter must be a meter of ${group.name} that can be ranked, got ${meterId}`,
  );
  demand(
    windowSeconds % group.topperBucketSize === 0,
    `.window_seconds must be a multiple of topper_bucket_size ${group.topperBucketSize}, ` +
      `got ${windowSeconds}`,
  );
  demand(
    when.condition !== 'key_share_above' || aggregate === null || isCounting(aggregate),
    `.when.key_share_above must be of a meter whose values add up, but ${meter?.name} has another ` +
      'type: use key_above',
  );
  if (filter === null) return mistakes;
  demand(
    when.condition !== 'silent_seconds',
    '.filter must be left out with silent_seconds, which is about the whole group',
  );
  return [...mistakes, ...filterMistakes(filter, keyKinds(group, groups))];
}

/** Checks each part of a filter by itself, so that all mistakes are reported. */
function filterMistakes(filter: KeyFilter, kinds: readonly SimpleKeyKind[]): string[] {
  return Object.entries(filter).flatMap(([name, given]) => {
    try {
      compileKeyFilter({ [name]: given }, kinds, { match: 'match', exclude: 'exclude' });
      return [];
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return [`.filter.${error.message}`];
    }
  });
}
