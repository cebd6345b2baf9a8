import type { Connection } from '../../connection/connection.ts';

/** A key that has texts. */
export type TextKey = {
  key: string;
  /** Whether a user gave the key a text, so that it exists without readings. */
  isUsers: boolean;
};

/** Which keys with texts to select, in the order of their raw form. */
export type TextKeyPage = {
  readonly groupId: number;
  /** Only keys after this one; empty: from the first. */
  readonly after: string;
  readonly limit: number;
};

export async function selectTextKeys(
  connection: Connection,
  { groupId, after, limit }: TextKeyPage,
): Promise<TextKey[]> {
  const { rows } = await connection.query<TextKey>(
    `select key, coalesce(label_source = 'user', false)
         or description is not null or attributes is not null as "isUsers"
     from key_texts where group_id = $1 and key > $2 order by key limit $3`,
    [groupId, after, limit],
  );
  return rows;
}

/** All texts of a key. */
export type ExportedTexts = {
  key: string;
  label: string | null;
  /** The source of the label; null: there is no label. */
  labelSource: 'user' | 'dns' | 'mmdb' | null;
  description: string | null;
  attributes: Record<string, string> | null;
};

/** Selects the texts of those of these keys that have any, in no order. */
export async function selectExportedTexts(
  connection: Connection,
  groupId: number,
  keys: readonly string[],
): Promise<ExportedTexts[]> {
  const { rows } = await connection.query<ExportedTexts>(
    `select key, label, label_source as "labelSource", description, attributes
     from key_texts where group_id = $1 and key = any($2::text[])`,
    [groupId, keys],
  );
  return rows;
}
