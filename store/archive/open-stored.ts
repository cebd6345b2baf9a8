import type { StoredArchive } from '../../db/sql/archived-slices.ts';
import { hasCode } from '../../domain/has-code.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import type { SliceIdentity } from './archive-session.ts';

type StoredFile = {
  readonly archive: Pick<StoredArchive, 'pool' | 'poolPath'>;
  readonly file: string;
};

/**
 * Opens the archive of a slice with `open`. Errors: it cannot be opened, with what to do about it.
 */
export async function openStored<Reader>(
  { startsAt, engine }: SliceIdentity,
  { archive: { pool, poolPath }, file }: StoredFile,
  open: (file: string) => Promise<Reader>,
): Promise<Reader> {
  try {
    return await open(file);
  } catch (cause) {
    const what = hasCode(cause, 'ENOENT')
      ? `is not there: is pool ${pool} mounted at ${poolPath}?`
      : `cannot be read: ${reasonOf(cause)}`;
    throw new Error(`The archive of ${sliceName(startsAt, engine)}, ${file}, ${what}`, { cause });
  }
}
