import { setImmediate } from 'node:timers/promises';
import { stringify } from 'csv-stringify/sync';
import type { Rendered } from '../resolvers/request-scope.ts';
import type { TopperOptions } from './decode-topper.ts';
import type { ListedKey, ListedTopper } from './listed-topper.ts';

/** What the last row has in the column `rank`: it is not a key but all that are not listed. */
const OTHERS = 'others';

type Column = {
  readonly name: string;
  readonly of: (key: ListedKey, rank: number) => Cell;
};

/**
 * The topper as a table (RFC 4180): a header, a row for each key, and a last one for the others, so
 * that of a counter the column `metric` adds up to the group's total. Which columns there are
 * depends on the request alone, never on the data.
 */
export async function topperCsv(
  { guid, meterIndex, others, keys }: ListedTopper,
  options: TopperOptions,
): Promise<Rendered> {
  const columns = columnsFor(options);
  const last = columns.map(({ name }) => ({ rank: OTHERS, metric: others })[name] ?? null);
  const rows = [
    columns.map(({ name }) => name),
    ...keys.map((key, place) => columns.map(({ of }) => of(key, place + 1))),
    last,
  ];
  const filename = `topper-${guid.slice(1, -1)}-${meterIndex}.csv`;
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${filename}"`,
    },
    body: await writeRows(rows),
  };
}

type Cell = string | number | bigint | null;

/** Ten thousand rows take some 30 ms, and other requests are not to wait so long for a turn. */
const ROWS_AT_ONCE = 500;

async function writeRows(rows: readonly (readonly Cell[])[]): Promise<string> {
  let text = '';
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    if (start > 0) await setImmediate();
    // Labels come from DNS and the like, and no spreadsheet is to take one for a formula: texts
    // that begin like one get an apostrophe in front. Numbers are left alone.
    text += stringify(rows.slice(start, start + ROWS_AT_ONCE), {
      ...{ record_delimiter: 'windows', escape_formulas: true },
    });
  }
  return text;
}

function columnsFor({ resolveKeys, ranks, attributes }: TopperOptions): readonly Column[] {
  return [
    { name: 'rank', of: (_, rank) => rank },
    { name: 'key', of: ({ key }) => key },
    ...(resolveKeys ? NAMES : []),
    { name: 'metric', of: ({ metric }) => metric },
    ...ranks.map((rank, place) => ({
      name: `p${rank}`,
      of: ({ percentiles }: ListedKey) => percentiles?.[place]?.value ?? null,
    })),
    { name: 'description', of: ({ description }) => description },
    ...(attributes ? [ATTRIBUTES] : []),
  ];
}

const NAMES: readonly Column[] = [
  { name: 'readable', of: ({ names }) => names?.readable ?? null },
  { name: 'label', of: ({ names }) => names?.label ?? null },
];

/** As a JSON object: a value may hold whatever would separate it from the next one. */
const ATTRIBUTES: Column = {
  name: 'attributes',
  of: ({ attributes }) =>
    attributes && attributes.length > 0
      ? JSON.stringify(Object.fromEntries(attributes.map(({ name, value }) => [name, value])))
      : null,
};
