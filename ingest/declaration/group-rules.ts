import type { NewGroup } from '../../db/sql/declaration.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { DeclarationError } from './declaration.ts';

const DAY_SECONDS = 86_400;

/** Throws if the groups of a context together break a rule of operations, "apply files". */
export function checkGroups(groups: readonly NewGroup[], sliceSeconds: number): void {
  const byGuid = new Map(groups.map((group) => [group.guid, group]));
  for (const group of groups) {
    checkSizes(group, sliceSeconds);
    checkParts(group, byGuid);
    checkKeysOf(group, byGuid);
  }
}

function checkSizes(group: NewGroup, sliceSeconds: number): void {
  const { bucketSize, topperBucketSize } = group;
  demand(
    sliceSeconds % bucketSize === 0,
    group,
    `bucket_size must divide slice_seconds ${sliceSeconds}, got ${bucketSize}`,
  );
  demand(
    DAY_SECONDS % topperBucketSize === 0 && topperBucketSize % bucketSize === 0,
    group,
    `topper_bucket_size must divide ${DAY_SECONDS} and be a multiple of bucket_size ` +
      `${bucketSize}, got ${topperBucketSize}`,
  );
}

/** Checks decision 31: parts are groups of the context, and never cross-key groups themselves. */
function checkParts(group: NewGroup, byGuid: ReadonlyMap<Guid, NewGroup>): void {
  const hasParts = group.partGuids.length > 0;
  demand(
    hasParts === (group.keyKind === 'crosskey'),
    group,
    `crosskey must be given for key_kind crosskey and for no other, the key_kind is ${group.keyKind}`,
  );
  for (const guid of group.partGuids) {
    const part = byGuid.get(guid);
    demand(
      part !== undefined && part.keyKind !== 'crosskey',
      group,
      `crosskey must name groups of the context that are not cross-key groups, got ${guid}`,
    );
  }
}

/** The other group's keys are its own: one step only. */
function checkKeysOf(group: NewGroup, byGuid: ReadonlyMap<Guid, NewGroup>): void {
  const { keysOf: guid, keyKind, partGuids } = group;
  if (guid === null) return;
  const other = byGuid.get(guid);
  const rule = (must: string): string =>
    `keys_of must ${must}: name another group, or leave it out`;
  demand(
    other !== undefined && other !== group,
    group,
    rule(`name another group of the context, got ${guid}`),
  );
  const kind = kindOf(keyKind, partGuids);
  const given = kindOf(other.keyKind, other.partGuids);
  demand(
    given === kind,
    group,
    rule(`name a group with keys of kind ${kind}, got ${guid} of ${given}`),
  );
  demand(
    other.keysOf === null,
    group,
    rule(`name a group whose keys are its own, got ${guid}, whose keys_of is ${other.keysOf}`),
  );
}

const kindOf = (keyKind: string, partGuids: readonly Guid[]): string =>
  [keyKind, ...partGuids].join(' ');

function demand(holds: boolean, { guid }: NewGroup, rule: string): asserts holds {
  if (!holds) throw new DeclarationError(`group ${guid}: ${rule}`);
}
