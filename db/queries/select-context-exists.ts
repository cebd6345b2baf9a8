import type { ReadSession } from '../session/read-session.ts';

/** Returns whether any context has this name, granted or not (distinguishes a 422 from a 403). */
export async function selectContextExists(
  session: Pick<ReadSession, 'read'>,
  name: string,
): Promise<boolean> {
  // PostgreSQL's texts cannot contain NUL, so no context has such a name.
  if (name.includes('\0')) return false;
  const rows = await session.read<{ found: boolean }>({
    query: 'select-context-exists',
    text: 'select exists (select from contexts where name = $1) as found',
    values: [name],
  });
  return rows[0]?.found ?? false;
}
