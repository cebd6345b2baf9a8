import type { Cell } from '../../domain/text/csv-cell.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import type { ListedKey, ListedTopper } from '../listed-topper.ts';
import type { TopperOptions } from '../parameters/decode-topper.ts';
import { csvAnswer } from './csv-answer.ts';

/** The `rank` of the last row, which stands for all keys that are not listed. */
const OTHERS = 'others';

type Column = {
  readonly name: string;
  readonly of: (key: ListedKey, rank: number) => Cell;
};

/**
 * Writes the topper as a table (RFC 4180): a header, a row for each key, and a last row for all
 * other keys, so that the column `metric` of a counter adds up to the group's total. The columns
 * depend only on the request, never on the data.
 */
export async function topperCsv(
  scope: RequestScope,
  listed: ListedTopper,
  options: TopperOptions,
): Promise<Rendered> {
  const { guid, meterIndex } = listed;
  return csvAnswer(scope, `topper-${guid.slice(1, -1)}-${meterIndex}`, rowsOf(listed, options));
}

function* rowsOf({ keys, others }: ListedTopper, options: TopperOptions): Iterable<Cell[]> {
  const columns = columnsFor(options);
  yield columns.map(({ name }) => name);
  let rank = 0;
  for (const key of keys) {
    rank += 1;
    yield columns.map(({ of }) => of(key, rank));
  }
  yield columns.map(({ name }) => cellOfOthers(name, others));
}

function cellOfOthers(column: string, others: Cell): Cell {
  switch (column) {
    case 'rank':
      return OTHERS;
    case 'metric':
      return others;
    default:
      return null;
  }
}

function columnsFor({ resolveKeys, ranks, attributes }: TopperOptions): readonly Column[] {
  return [
    { name: 'rank', of: (_, rank) => rank },
    { name: 'key', of: ({ key }) => key },
    ...(resolveKeys ? NAMES : []),
    { name: 'metric', of: ({ metric }) => metric },
    ...ranks.map((rank, index) => ({
      name: `p${rank}`,
      of: ({ percentiles }: ListedKey) => percentiles?.[index]?.value ?? null,
    })),
    { name: 'description', of: ({ description }) => description },
    ...(attributes ? [ATTRIBUTES] : []),
  ];
}

const NAMES: readonly Column[] = [
  { name: 'readable', of: ({ names }) => names?.readable ?? null },
  { name: 'label', of: ({ names }) => names?.label ?? null },
];

/** Written as a JSON object: a value may contain any separator. */
const ATTRIBUTES: Column = {
  name: 'attributes',
  of: ({ attributes }) =>
    attributes && attributes.length > 0
      ? JSON.stringify(Object.fromEntries(attributes.map(({ name, value }) => [name, value])))
      : null,
};
