import type { Cell } from '../../domain/text/csv-cell.ts';
import type { Rendered } from '../../resolvers/request-scope.ts';
import { csvText } from './csv-text.ts';

/** A table, its header first, to be saved under a name of letters, digits and hyphens. */
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
