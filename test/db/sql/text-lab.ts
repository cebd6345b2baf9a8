import {
  openWritableDatabase,
  type WritableDatabase,
} from '../../support/database/writable-database.ts';
import { group, guidOf } from '../../support/lab/lab.ts';

export type TextLab = Awaited<ReturnType<typeof openTextLab>>;

/** A row of `key_texts`; what is left out is null. */
export type TextRow = {
  readonly key: string;
  readonly label?: string;
  readonly source?: 'user' | 'dns' | 'mmdb';
  readonly description?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly archivedUntil?: number;
};

/** A database with a context of two groups and another context with one. */
export async function openTextLab() {
  const database = await openWritableDatabase();
  await database.apply({ context: 'lab', groups: [group(1), group(2)] });
  await database.apply({ context: 'elsewhere', groups: [group(1)] });
  const contextId = await database.contextId('lab');
  const elsewhere = await database.contextId('elsewhere');
  const groupId = await database.groupId(contextId, guidOf(1));
  const otherGroupId = await database.groupId(contextId, guidOf(2));
  const groupIdElsewhere = await database.groupId(elsewhere, guidOf(1));
  return {
    ...database,
    contextId,
    elsewhere,
    groupId,
    otherGroupId,
    groupIdElsewhere,
    async addTexts(rows: readonly TextRow[], to: number = groupId): Promise<void> {
      for (const { key, label, source, description, attributes, archivedUntil } of rows) {
        await database.connection.query(
          `insert into key_texts
             (group_id, key, label, label_source, description, attributes, archived_until)
           values ($1, $2, $3, $4, $5, $6, $7)`,
          [to, key, label, source, description, attributes, archivedUntil],
        );
      }
    },
    /** The texts of a group, without what is null. */
    texts: (of: number = groupId): Promise<TextRow[]> => storedTexts(database, of),
  };
}

async function storedTexts({ rowsOf }: WritableDatabase, groupId: number): Promise<TextRow[]> {
  const rows = await rowsOf<{ row: TextRow }>(
    `select json_strip_nulls(json_build_object('key', key, 'label', label, 'source', label_source,
       'description', description, 'attributes', attributes, 'archivedUntil', archived_until))
       as row
     from key_texts where group_id = $1 order by key`,
    [groupId],
  );
  return rows.map(({ row }) => row);
}
