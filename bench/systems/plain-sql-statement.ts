import { placeOf, type Question, stepCount } from '../questions/question.ts';
import { endOf, METERS, TOPPER_BUCKET_SECONDS, type TrafficShape } from '../traffic/traffic.ts';

export type Statement = { readonly text: string; readonly values: readonly unknown[] };

/**
 * The fastest statement found for a topper in PostgreSQL: one aggregation, texts only for the keys
 * that may be listed, and for percentiles a second scan for the listed keys. No reading is 0, so
 * every key with a reading counts (decision 24). Columns: key, value, total and key_count (both the
 * same in every row), percentile_0 and so on. One row without a key if none is listed.
 */
export function topperStatement(question: Question, shape: TrafficShape): Statement {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const column = METERS[question.meter];
  if (!column) throw new Error(`there is no meter ${question.meter}`);
  const inWindow =
    `bucket >= ${bind(question.from)}::bigint ` + `and bucket < ${bind(question.to)}::bigint`;
  const tables = [
    `sums as materialized (
      select key_id, sum(${column})::bigint as value from readings where ${inWindow} group by key_id
    )`,
    ...candidateTables(question, bind),
  ];
  if (question.ranks.length > 0) {
    tables.push(...seriesTables({ column, inWindow, end: endOf(shape), question, bind }));
  }
  const text = `with ${tables.join(', ')}
    select key, value, total, key_count
      ${question.ranks.map((_, place) => `, percentile_${place}`).join('')}
    from facts left join listed on true
      ${question.ranks.length > 0 ? 'left join series using (key_id)' : ''}
    order by value desc, key`;
  return { text, values };
}

type Bind = (value: unknown) => string;

/** The tables `facts` (total, key_count) and `listed` (key_id, key, value). */
function candidateTables(question: Question, bind: Bind): string[] {
  const condition = keyCondition(question, bind);
  const most = bind(question.maxItems);
  if (condition === null) {
    return [
      'facts as (select coalesce(sum(value), 0) as total, count(*) as key_count from sums)',
      // Texts are needed for the listed keys, and for equal values, which are sorted by text.
      `listed as materialized (
        select key_id, key, value from sums join keys using (key_id)
        where value >= (
          select min(value) from (select value from sums order by value desc limit ${most}) largest
        )
        order by value desc, key limit ${most}
      )`,
    ];
  }
  return [
    `passing as materialized (
      select key_id, key, value from sums join keys using (key_id) where ${condition}
    )`,
    `facts as (
      select (select coalesce(sum(value), 0) from sums) as total, count(*) as key_count from passing
    )`,
    `listed as materialized (select * from passing order by value desc, key limit ${most})`,
  ];
}

function keyCondition({ filter, exclude }: Question, bind: Bind): string | null {
  const conditions: string[] = [];
  if (filter?.range) {
    // In hand-written SQL, a range can replace the regular expression of a prefix.
    const { first, below } = filter.range;
    conditions.push(`key >= ${bind(first)} and key < ${bind(below)}`);
  } else if (filter) conditions.push(`key ~ ${bind(filter.pattern)}`);
  if (exclude) conditions.push(`key !~ ${bind(exclude)}`);
  return conditions.length > 0 ? conditions.join(' and ') : null;
}

type SeriesParts = {
  readonly column: string;
  readonly inWindow: string;
  readonly end: number;
  readonly question: Question;
  readonly bind: Bind;
};

/**
 * The table `series` with the percentiles of each listed key. Steps without a reading need no rows:
 * they are zeros, which only shift the positions of the others.
 */
function seriesTables({ column, inWindow, end, question, bind }: SeriesParts): string[] {
  const count = stepCount(question, end);
  const percentiles = question.ranks.map((rank, index) => {
    const place = bind(placeOf(rank, count));
    return `coalesce(max(value) filter (where place = ${place}::bigint), 0) as percentile_${index}`;
  });
  return [
    `steps as (
      select key_id, sum(${column})::bigint as value
      from readings
      where ${inWindow} and key_id in (select key_id from listed)
      group by key_id, bucket / ${TOPPER_BUCKET_SECONDS}
    )`,
    `ranked as (
      select key_id, value, row_number() over (partition by key_id order by value)
        + ${bind(count)}::bigint - count(*) over (partition by key_id) as place
      from steps
    )`,
    `series as (select key_id, ${percentiles.join(', ')} from ranked group by key_id)`,
  ];
}
