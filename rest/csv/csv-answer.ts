import type { Cell } from '../../domain/text/csv-cell.ts';
import type { Rendered } from '../../resolvers/request-scope.ts';
import { csvText } from './csv-text.ts';

/** A table, header row first, to be saved as `name`, which has only letters, digits and hyphens. */
export async function csvAnswer(name: string, rows: Iterable<readonly Cell[]>): Promise<Rendered> {
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
    body: await csvText(rows),
  };
}
