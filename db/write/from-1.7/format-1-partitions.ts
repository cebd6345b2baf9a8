import type { Connection } from '../../connection/connection.ts';

/** The tables of pages of format 1, as migrations/from-1.7/adapt.sql has renamed them. */
const TABLES = `'format_1_open_pages'::regclass, 'format_1_sealed_pages'::regclass`;

/** Returns whether these tables are there. They are dropped when all segments are converted. */
export async function selectIsConverting(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isConverting: boolean }>(
    `select to_regclass('format_1_sealed_pages') is not null as "isConverting"`,
  );
  return rows[0]?.isConverting ?? false;
}

/** name: as in statements. */
type Partition = { readonly name: string; readonly parent: string; readonly isByHand: boolean };

/** SQL: the partitions, their slices, and their names without a schema. */
const PARTITIONS = `
  select c.oid, c.oid::regclass::text as name, i.inhparent::regclass::text as parent, c.relname,
    substring(c.relname from '_pages_([0-9]+)')::int as slice_id
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent in (${TABLES})`;

/**
 * Removes the partitions without live segments: of roll-ups, and of what was merged. If a slice was
 * archived by hand, nobody knows where else its readings are, so its partitions become tables of
 * their own.
 */
export async function removeUnusedPartitions(connection: Connection): Promise<void> {
  const { rows } = await connection.query<Partition>(
    `select name, parent, exists (select from slices s where s.slice_id = p.slice_id
         and s.archived and s.archive_digest is null) as "isByHand"
     from (${PARTITIONS}) p
     where not exists (select from segments s where s.slice_id = p.slice_id and s.died is null)
     order by oid`,
  );
  for (const { name, parent, isByHand } of rows) {
    await connection.query(
      isByHand ? `alter table ${parent} detach partition ${name}` : `drop table ${name}`,
    );
  }
}

/**
 * Renames the partitions of a slice, so that partitions for new pages can have their names. Returns
 * the new names.
 */
export async function renamePartitions(connection: Connection, sliceId: number): Promise<string[]> {
  const { rows } = await connection.query<{ name: string; to: string; oid: number }>(
    `select oid::int8::float8 as oid, name, format('%I', 'format_1_' || relname) as "to"
     from (${PARTITIONS}) p where slice_id = $1 order by oid`,
    [sliceId],
  );
  const names: string[] = [];
  for (const { oid, name, to } of rows) {
    await connection.query(`alter table ${name} rename to ${to}`);
    const renamed = await connection.query<{ name: string }>(
      'select $1::float8::int8::oid::regclass::text as name',
      [oid],
    );
    names.push(...renamed.rows.map((row) => row.name));
  }
  return names;
}

/** names: as renamePartitions returns them. */
export async function dropPartitions(
  connection: Connection,
  names: readonly string[],
): Promise<void> {
  for (const name of names) await connection.query(`drop table ${name}`);
}

/** Drops the tables, whose partitions are all gone. */
export const dropFormat1Tables = (connection: Connection) =>
  connection.query('drop table format_1_open_pages, format_1_sealed_pages');
