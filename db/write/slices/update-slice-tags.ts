import type { Connection } from '../../connection/connection.ts';

export type SliceTags = {
  readonly contextId: number;
  readonly sliceId: number;
  readonly tags: readonly string[];
};

/** isChanged: whether its tags were others before. startsAt: epoch seconds. */
export type TaggedSlice = {
  readonly isChanged: boolean;
  readonly startsAt: number;
  readonly engine: number;
};

/** Sets the tags that users give a slice. Returns null if the context has no such slice. */
export async function updateSliceTags(
  connection: Connection,
  { contextId, sliceId, tags }: SliceTags,
): Promise<TaggedSlice | null> {
  const { rows } = await connection.query<TaggedSlice>(
    `with found as (
       select slice_id, starts_at, engine, tags is distinct from $3::text[] as is_changed
       from slices
       where context_id = $1 and slice_id = $2
     ), changed as (
       update slices set tags = $3 from found
       where slices.slice_id = found.slice_id and is_changed
     )
     select is_changed as "isChanged", starts_at::float8 as "startsAt", engine from found`,
    [contextId, sliceId, tags],
  );
  return rows[0] ?? null;
}
