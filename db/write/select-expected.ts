import type { Fold } from '../../domain/meter-type.ts';
import { copyArray, copyInteger as integer } from '../copy-text.ts';
import type { Connection } from './connection.ts';

/** Samples of a group, of one probe or (null) of each, and how they are taken together. */
export type ExpectedOf = {
  readonly groupId: number;
  readonly probeId: number | null;
  readonly sliceIds: readonly number[];
  /** Buckets that start from `from` to before `to`. */
  readonly from: number;
  readonly to: number;
  /** By slot − 1. */
  readonly folds: readonly (Fold | null)[];
};

/**
 * What the samples say of a block's row. values, counts: by slot − 1 whole numbers as text, ''
 * for none; counts of means only.
 */
export type ExpectedRow = {
  probeId: number;
  shard: number;
  start: number;
  id: number;
  values: string;
  counts: string;
};

/** In order of probe, shard, start and id: blocks of `level` seconds, whose ids are keys. */
export const expectedBlocks = (
  connection: Connection,
  of: ExpectedOf,
  level: number,
): AsyncGenerator<ExpectedRow[]> => {
  const start = `(bucket / ${integer(level)}) * ${integer(level)}`;
  return fetchAll(connection, `${aggregate(of, ['shard', start, 'key_id'])} ${IN_ORDER}`);
};

/**
 * The same for series of keys: start is the key, and id the step on the grid. Key −1, in shard 0,
 * is the whole group.
 */
export const expectedSeries = (
  connection: Connection,
  of: ExpectedOf,
  { origin, stepSeconds }: { readonly origin: number; readonly stepSeconds: number },
): AsyncGenerator<ExpectedRow[]> => {
  const step = `(bucket - ${integer(origin)}) / ${integer(stepSeconds)}`;
  const whole = aggregate(of, ['0', '-1', step]);
  const keys = aggregate(of, ['shard', 'key_id', step]);
  return fetchAll(connection, `${whole} union all ${keys} ${IN_ORDER}`);
};

const IN_ORDER = 'order by 1, 2, 3, 4';

/** Sums are numeric: the sum of two bigints may not be one. */
function aggregate(of: ExpectedOf, [shard, start, id]: readonly [string, string, string]): string {
  const values = of.folds.map((fold, slot) => foldText(fold, slot + 1));
  const counts = of.folds.map((fold, slot) => (fold === 'mean' ? countText(slot + 1) : 'null'));
  const probe = of.probeId === null ? '' : `and probe_id = ${integer(of.probeId)}`;
  return `select probe_id as "probeId", (${shard})::int as shard, (${start})::float8 as start,
    (${id})::int as id, ${inOneText(values)} as values, ${inOneText(counts)} as counts
  from samples
  where slice_id = any(${copyArray(of.sliceIds)}) and group_id = ${integer(of.groupId)} ${probe}
    and bucket >= ${integer(of.from)} and bucket < ${integer(of.to)}
  group by 1, ${[shard, start, id].filter(isNoConstant).join(', ')}`;
}

const isNoConstant = (expression: string): boolean => !/^-?\d+$/.test(expression);

function foldText(fold: Fold | null, slot: number): string {
  if (fold === null) return 'null';
  const rule = fold === 'max' || fold === 'min' ? fold : 'sum';
  return `${rule}(readings[${integer(slot)}])`;
}

const countText = (slot: number): string =>
  `sum(coalesce(counts[${integer(slot)}], 1)) filter (where readings[${integer(slot)}] is not null)`;

/** Node's driver takes long to read arrays. */
const inOneText = (expressions: readonly string[]): string =>
  `array_to_string(array[${expressions.join(', ')}]::text[], ',', '')`;

const FETCHED_ROWS = 10_000;

/** A cursor, so that other statements may come between. */
async function* fetchAll(connection: Connection, text: string): AsyncGenerator<ExpectedRow[]> {
  await connection.query(`declare expected no scroll cursor for ${text}`);
  for (;;) {
    const { rows } = await connection.query<ExpectedRow>(`fetch ${FETCHED_ROWS} from expected`);
    if (rows.length > 0) yield rows;
    if (rows.length < FETCHED_ROWS) break;
  }
  await connection.query('close expected');
}
