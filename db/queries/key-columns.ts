/**
 * A key of a counter group. parts: of a cross-key, unescaped and in order; partLabels: what these
 * keys are labelled in their own groups (null: not at all). Both are empty for other kinds.
 */
export type KeyRow = {
  groupId: number;
  shard: number;
  keyId: number;
  key: string;
  label: string | null;
  description: string | null;
  attributes: Record<string, unknown> | null;
  parts: string[];
  partLabels: (string | null)[];
};

/** A group as key queries need it: a cross-key's parts have their labels in other groups. */
export type KeyGroup = { groupId: number; partGroupIds: readonly (number | null)[] };

/** The columns of KeyRow, of a table `keys` named k joined with PART_LABELS. */
export const KEY_COLUMNS = keyColumns('array[p1.label, p2.label, p3.label]');

/** The same of keys whose parts have no groups, with nothing to join. */
export const LONE_KEY_COLUMNS = keyColumns('array[null, null, null]');

function keyColumns(labels: string): string {
  return `k.group_id as "groupId", k.shard, k.key_id as "keyId", k.key, k.label,
  k.description, k.attributes, array_remove(array[k.part_1, k.part_2, k.part_3], null) as parts,
  case when k.part_1 is null then '{}'
    else (${labels}::text[])[:num_nonnulls(k.part_1, k.part_2, k.part_3)]
  end as "partLabels"`;
}

/** Joins the parts' own keys; w is a table with the part groups part_group_1, _2 and _3. */
export const PART_LABELS = `
left join keys p1 on p1.group_id = w.part_group_1 and p1.key = k.part_1
left join keys p2 on p2.group_id = w.part_group_2 and p2.key = k.part_2
left join keys p3 on p3.group_id = w.part_group_3 and p3.key = k.part_3`;

/** The parallel arrays group_id, part_group_1, part_group_2, part_group_3 of the table w. */
export const groupValues = (groups: readonly KeyGroup[]): unknown[] => [
  groups.map((group) => group.groupId),
  ...[0, 1, 2].map((place) => groups.map((group) => group.partGroupIds[place] ?? null)),
];
