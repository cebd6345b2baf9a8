import type { Cell } from '../../domain/text/csv-cell.ts';
import { AnswerWriter } from '../../resolvers/answer-writer.ts';
import type { Rendered, RequestScope } from '../../resolvers/request-scope.ts';
import { writeCsv } from './csv-text.ts';

/** A table, header row first, to be saved as `name`, which has only letters, digits and hyphens. */
export async function csvAnswer(
  scope: RequestScope,
  name: string,
  rows: Iterable<readonly Cell[]>,
): Promise<Rendered> {
  const writer = new AnswerWriter(scope);
  await writeCsv(writer, rows);
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${name}.csv"`,
    },
    body: writer.end(),
  };
}
