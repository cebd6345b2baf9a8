import { placeOf, type Question, stepCount } from '../questions/question.ts';
import { endOf, METERS, TOPPER_BUCKET_SECONDS, type TrafficShape } from '../traffic/traffic.ts';

/** How readings refer to their key, and how to get the key's text. */
type Layout = {
  readonly readings: string;
  readonly id: string;
  /** What to select the id, key and value of all keys of the window from. */
  readonly named: string;
  /** Without a filter, texts are joined only for the largest keys and those with equal values. */
  readonly worthNaming: (most: number) => string;
};

const BY_ID: Layout = {
  readings: 'readings',
  id: 'key_id',
  named: 'sums join keys using (key_id)',
  worthNaming: (most) =>
    `value >= (select min(value) from (select value from sums order by value desc limit ${most}))`,
};

export const LAYOUTS = {
  duckdb: BY_ID,
  'duckdb-tuned': BY_ID,
  'duckdb-text': {
    readings: 'text_readings',
    id: 'key',
    named: 'sums',
    worthNaming: () => 'true',
  },
} as const satisfies Record<string, Layout>;

/**
 * The fastest statement found for a topper in DuckDB. Columns: key, value, total and number of keys
 * (both the same in every row), and the percentiles. One row without a key if none is listed.
 */
export function topperText(question: Question, shape: TrafficShape, layout: Layout): string {
  const { from, to, meter, maxItems, ranks } = question;
  const inWindow = `bucket >= ${from} and bucket < ${to}`;
  const { readings, id, named, worthNaming } = layout;
  const condition = keyCondition(question);
  const tables = [
    `sums as materialized (
      select ${id}, sum(${METERS[meter]}) as value from ${readings} where ${inWindow} group by ${id}
    )`,
    `passing as materialized (
      select ${id}, ${id === 'key' ? '' : 'key,'} value from ${named}
      where ${condition ?? worthNaming(maxItems)}
    )`,
    `listed as materialized (select * from passing order by value desc, key limit ${maxItems})`,
    `facts as (
      select (select coalesce(sum(value), 0)::bigint from sums) as total,
        (select count(*) from ${condition === null ? 'sums' : 'passing'}) as key_count
    )`,
    ...(ranks.length > 0 ? seriesTables(question, layout, inWindow) : []),
  ];
  return `with ${tables.join(', ')}
    select key, value::bigint, total, key_count ${percentileColumns(question, endOf(shape))}
    from facts left join listed on true
      ${ranks.length > 0 ? `left join series using (${id})` : ''}
    order by value desc, key`;
}

function keyCondition({ filter, exclude }: Question): string | null {
  const conditions: string[] = [];
  if (filter?.range) {
    const { first, below } = filter.range;
    conditions.push(`key >= ${quoted(first)} and key < ${quoted(below)}`);
  } else if (filter) conditions.push(`regexp_matches(key, ${quoted(filter.pattern)})`);
  if (exclude) conditions.push(`not regexp_matches(key, ${quoted(exclude)})`);
  return conditions.length > 0 ? conditions.join(' and ') : null;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The table `series`: for each listed key, the ascending values of its steps with a reading. */
function seriesTables({ meter }: Question, { readings, id }: Layout, inWindow: string): string[] {
  return [
    `steps as (
      select ${id}, sum(${METERS[meter]})::bigint as value from ${readings}
      where ${inWindow} and ${id} in (select ${id} from listed)
      group by ${id}, bucket // ${TOPPER_BUCKET_SECONDS}
    )`,
    `series as (select ${id}, list_sort(list(value)) as steps from steps group by ${id})`,
  ];
}

/** Steps without a reading are zeros, which only shift the positions of the others. */
function percentileColumns(question: Question, end: number): string {
  const count = stepCount(question, end);
  return question.ranks
    .map((rank) => {
      const place = `${placeOf(rank, count)} - (${count} - len(steps))`;
      return `, case when ${place} > 0 then steps[${place}] else 0 end`;
    })
    .join('');
}
