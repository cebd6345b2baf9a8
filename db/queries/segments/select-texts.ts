import type { ReadSession, TimeBound } from '../../session/read-session.ts';

/** A key of a group, in raw form. */
export type KeyName = { readonly groupId: number; readonly key: string };

/** The texts of a key. A key without texts has no row. */
export type TextsRow = KeyName & {
  readonly label: string | null;
  readonly description: string | null;
  readonly attributes: Record<string, unknown> | null;
};

/** Selects the texts of all these keys in one statement. */
export const selectTexts = (
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyName[],
  bound: TimeBound | null,
): Promise<TextsRow[]> =>
  session.read(
    {
      query: 'select-texts',
      name: 'texts',
      text: `
select t.group_id as "groupId", t.key, t.label, t.description, t.attributes
from unnest($1::int[], $2::text[]) as w(group_id, key)
join key_texts t using (group_id, key)`,
      values: [keys.map(({ groupId }) => groupId), keys.map(({ key }) => key)],
    },
    bound,
  );
