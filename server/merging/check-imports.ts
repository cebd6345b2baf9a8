import type { Connection } from '../../db/connection/connection.ts';
import type { ContextNumbersRow } from '../../db/sql/contexts.ts';
import { selectImports } from '../../db/sql/imports.ts';
import type { ImportsOfContext } from './merging-tally.ts';

/** Reads the imports of contexts with a new version: imports raise it, so most have nothing new. */
export async function checkImports(
  connection: Connection,
  contexts: readonly ContextNumbersRow[],
  known: ReadonlyMap<number, ImportsOfContext>,
): Promise<ReadonlyMap<number, ImportsOfContext>> {
  const changed = contexts.filter(
    ({ contextId, version }) => known.get(contextId)?.version !== version,
  );
  const rows = changed.length > 0 ? await selectImports(connection, changed.map(idOf)) : [];
  const read = new Map(rows.map(({ contextId, files, lastAt }) => [contextId, { files, lastAt }]));
  return new Map(
    contexts.flatMap(({ contextId, name: context, version }) => {
      const imports = read.get(contextId) ?? known.get(contextId);
      return imports ? [[contextId, { ...imports, context, version }] as const] : [];
    }),
  );
}

const idOf = ({ contextId }: ContextNumbersRow): number => contextId;
