import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Connection } from './connection.ts';

/** Both tables of packed runs have the same columns; in key_series "start" and "last" are key ids. */
export type RunTable = 'topper_blocks' | 'key_series';

/** Runs of all shards that belong together. */
export type RunSet = {
  readonly groupId: number;
  readonly level: number;
  readonly probeId: number;
  readonly sliceId: number;
};

export type RunPlaceRow = { shard: number; start: number; last: number; bytes: number };

export type RunRow = {
  readonly shard: number;
  readonly start: number;
  readonly last: number;
  readonly ends: readonly number[];
  readonly data: Uint8Array;
};

const OF_SET = 'group_id = $1 and level = $2 and probe_id = $3 and slice_id = $4';

const setValues = ({ groupId, level, probeId, sliceId }: RunSet) => [
  groupId,
  level,
  probeId,
  sliceId,
];

/** The runs of a set that begin from `from` to `to`, by shard and start, without their data. */
export async function selectRunPlaces(
  connection: Connection,
  table: RunTable,
  set: RunSet,
  { from, to }: { from: number; to: number },
): Promise<RunPlaceRow[]> {
  const { rows } = await connection.query<RunPlaceRow>(
    `select shard, start::float8 as start, last::float8 as last, octet_length(data) as bytes
     from ${table} where ${OF_SET} and start between $5 and $6 order by shard, start`,
    [...setValues(set), from, to],
  );
  return rows;
}

/** The runs of a shard with blocks that start from `from` to `to`. */
export async function selectRuns(
  connection: Connection,
  table: RunTable,
  set: RunSet & { readonly shard: number },
  { from, to }: { from: number; to: number },
): Promise<RunRow[]> {
  const { rows } = await connection.query<RunRow>(
    `select shard, start::float8 as start, last::float8 as last, ends, data
     from ${table} where ${OF_SET} and shard = $5 and start <= $7 and last >= $6 order by start`,
    [...setValues(set), set.shard, from, to],
  );
  return rows;
}

/** Removes these runs of a set and gives what was in them. */
export async function takeRuns(
  connection: Connection,
  table: RunTable,
  set: RunSet,
  places: readonly { shard: number; start: number }[],
): Promise<RunRow[]> {
  if (places.length === 0) return [];
  const { rows } = await connection.query<RunRow>(
    `delete from ${table} t using unnest($5::smallint[], $6::bigint[]) as w(shard, start)
     where ${OF_SET} and t.shard = w.shard and t.start = w.start
     returning t.shard, t.start::float8 as start, t.last::float8 as last, t.ends, t.data`,
    [...setValues(set), places.map(({ shard }) => shard), places.map(({ start }) => start)],
  );
  return rows;
}

/** Removes the runs of a set that begin from `from` to `to`. */
export const deleteRuns = (
  connection: Connection,
  table: RunTable,
  set: RunSet,
  { from, to }: { from: number; to: number },
) =>
  connection.query(`delete from ${table} where ${OF_SET} and start between $5 and $6`, [
    ...setValues(set),
    from,
    to,
  ]);

/** Adds runs to a set. */
export async function copyRuns(
  connection: Connection,
  table: RunTable,
  set: RunSet,
  rows: Iterable<RunRow>,
): Promise<void> {
  const target = connection.query(
    copyFrom(
      `copy ${table} (group_id, level, start, shard, probe_id, slice_id, last, ends, data)
       from stdin (format binary)`,
    ),
  );
  await pipeline(Readable.from(copyBlocks(table, set, rows)), target);
}

/** The start of every binary COPY: a signature, no flags, no extension. */
const COPY_HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const COPY_END = Buffer.from([0xff, 0xff]);
const INT4_OID = 23;

function* copyBlocks(table: RunTable, set: RunSet, rows: Iterable<RunRow>): Generator<Buffer> {
  yield COPY_HEADER;
  const placeBytes = table === 'key_series' ? 4 : 8;
  for (const row of rows) yield copyRow(set, row, placeBytes);
  yield COPY_END;
}

/** A tuple: the number of fields, then each field's length and bytes in network order. */
function copyRow(set: RunSet, row: RunRow, placeBytes: 4 | 8): Buffer {
  const { ends, data } = row;
  const endsBytes = 20 + 8 * ends.length;
  const buffer = Buffer.allocUnsafe(
    2 + 9 * 4 + 4 * 4 + 2 + 2 * placeBytes + endsBytes + data.length,
  );
  let at = buffer.writeInt16BE(9, 0);
  const integer = (value: number, bytes: 2 | 4 | 8) => {
    at = buffer.writeInt32BE(bytes, at);
    if (bytes === 8) at = buffer.writeBigInt64BE(BigInt(value), at);
    else at = bytes === 4 ? buffer.writeInt32BE(value, at) : buffer.writeInt16BE(value, at);
  };
  integer(set.groupId, 4);
  integer(set.level, 4);
  integer(row.start, placeBytes);
  integer(row.shard, 2);
  integer(set.probeId, 4);
  integer(set.sliceId, 4);
  integer(row.last, placeBytes);
  at = buffer.writeInt32BE(endsBytes, at);
  // An array of one dimension without nulls, counted from 1.
  for (const value of [1, 0, INT4_OID, ends.length, 1]) at = buffer.writeInt32BE(value, at);
  for (const end of ends) integer(end, 4);
  at = buffer.writeInt32BE(data.length, at);
  buffer.set(data, at);
  return buffer;
}
