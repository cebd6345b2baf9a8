import { createHash } from 'node:crypto';

const names = new Map<string, string>();

/**
 * Returns the name under which a statement is prepared, with a digest of its text. Without the
 * digest, a statement that another version of this program prepared under the same name would run
 * instead, behind a pooler.
 */
export function statementName(name: string, text: string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const full = `${name} ${digest}`;
  names.set(name, full);
  return full;
}
