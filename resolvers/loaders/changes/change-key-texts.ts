import { type KeyTextsUpsert, upsertKeyTexts } from '../../../db/write/texts/upsert-key-texts.ts';
import type { RequestReads } from '../request-reads.ts';

export type { KeyTextsUpsert } from '../../../db/write/texts/upsert-key-texts.ts';

/** Changes the texts of keys, all or none. Returns how many keys were different before. */
export const changeKeyTexts = (
  reads: Pick<RequestReads, 'change'>,
  updates: readonly KeyTextsUpsert[],
): Promise<number> =>
  reads.change('upsert-key-texts', (connection) => upsertKeyTexts(connection, updates));
