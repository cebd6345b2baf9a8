import type { KeyKind } from '../../domain/key-kind.ts';
import type { ReadSession } from '../read-session.ts';

/** Guids as PostgreSQL writes a uuid: lower case, no braces. */
export type CounterGroupRow = {
  context_id: number;
  group_id: number;
  guid: string;
  name: string;
  key_kind: KeyKind;
  bucket_size: number;
  topper_bucket_size: number;
  sampling_rate: number;
  enabled: boolean;
  shard_count: number;
  parent_guid: string | null;
  crosskey_guid_1: string | null;
  crosskey_guid_2: string | null;
};

/** All groups of the contexts, disabled ones too: they still say what a cross-key's parts are. */
export const selectCounterGroups = (
  session: ReadSession,
  contextIds: readonly number[],
): Promise<CounterGroupRow[]> =>
  session.read({
    text: `
select g.context_id, g.group_id, g.guid, g.name, g.key_kind, g.bucket_size, g.topper_bucket_size,
  g.sampling_rate, g.enabled, g.shard_count, x.parent_guid, x.crosskey_guid_1, x.crosskey_guid_2
from counter_groups g left join crosskeys x using (group_id)
where g.context_id = any($1::int[])
order by g.name, g.guid`,
    values: [contextIds],
  });
