import { placeOf, type Question, stepCount } from '../questions/question.ts';
import { endOf, METERS, TOPPER_BUCKET_SECONDS, type TrafficShape } from '../traffic/traffic.ts';

export type Statement = { readonly text: string; readonly values: readonly unknown[] };

/**
 * A topper as PostgreSQL is fastest with it: one aggregation, the keys' texts for the candidates
 * only, and for percentiles a second look at the listed keys. No reading is 0, so that every key
 * with a reading counts (decision 24). Rows: key, value, total and key_count, which are the same in
 * every row, percentile_0 and so on; one row without a key when none is listed.
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

/** The tables facts (total, key_count) and listed (key_id, key, value). */
function candidateTables(question: Question, bind: Bind): string[] {
  const condition = keyCondition(question, bind);
  const most = bind(question.maxItems);
  if (condition === null) {
    return [
      'facts as (select coalesce(sum(value), 0) as total, count(*) as key_count from sums)',
      // Texts are needed of the listed keys, and of their equals to tell them apart.
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
    // Who writes the SQL knows what a prefix pattern comes to, and spares the regular expression.
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
 * The table series, with the percentiles of each listed key. The steps without a reading are not
 * made as rows: they are zeros, so they only move the places of the others up.
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
