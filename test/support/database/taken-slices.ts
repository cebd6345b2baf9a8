import type { TestService } from '../lab/service.ts';

type Sql = Pick<TestService, 'sql'>;

const NEXT_LAYOUT = `
  with next as (
    update context_versions v set layout = layout + 1 from slices s
    where s.slice_id = $1 and v.context_id = s.context_id returning layout
  )`;

/** Imitates archiving a slice: it is still listed, but its data are elsewhere. */
export async function takeOutSlice({ sql }: Sql, sliceId: number): Promise<void> {
  await sql(
    `${NEXT_LAYOUT} update segments set died = next.layout, died_at = now() from next
     where slice_id = $1 and died is null`,
    [sliceId],
  );
  await sql(
    `update slices set archived = true, archive_path = '/archive/1.segments' where slice_id = $1`,
    [sliceId],
  );
}

/** Imitates restoring it. */
export async function putBackSlice({ sql }: Sql, sliceId: number): Promise<void> {
  await sql(
    `${NEXT_LAYOUT} update segments set born = next.layout, died = null, died_at = null from next
     where slice_id = $1`,
    [sliceId],
  );
  await sql(`update slices set archived = false, archive_path = null where slice_id = $1`, [
    sliceId,
  ]);
}
