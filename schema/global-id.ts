/** The types that `node(id:)` can return. */
const NODE_TYPES = [
  'Context',
  'Slice',
  'Pool',
  'CounterGroup',
  'Meter',
  'Key',
  'Alert',
  'AlertEvent',
] as const;

type GlobalId = { typename: string; id: string };

/** No context has an empty name, so no object has this id: `node` returns null. */
const NOTHING: GlobalId = { typename: 'Context', id: '' };

export const encodeGlobalId = (typename: string, id: string | number | bigint): string =>
  Buffer.from(`${typename}:${id}`).toString('base64url');

/** An unreadable id counts as one that does not exist (decisions, section 9): no error. */
export function decodeGlobalId(globalId: string): GlobalId {
  const [, typename = '', id = ''] = /^(\w+):(.*)$/s.exec(fromBase64(globalId)) ?? [];
  return NODE_TYPES.some((name) => name === typename) ? { typename, id } : NOTHING;
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64url').toString();

/**
 * Encodes a path of names as the local part of a global id: the context, with the name of the node
 * that answers unless it is the primary, then the names that lead down to the object.
 */
export function encodePath(
  at: { name: string; nodeName: string },
  ...rest: readonly (string | number)[]
): string {
  const node = at.nodeName === 'primary' ? '' : `@${encodeURIComponent(at.nodeName)}`;
  return [`${encodeURIComponent(at.name)}${node}`, ...rest.map(encodeURIComponent)].join('/');
}

export type ObjectPath = { contextName: string; nodeName: string | null; rest: string[] };

/** null for a text that encodePath cannot have produced. */
export function decodePath(path: string): ObjectPath | null {
  const [context = '', ...rest] = path.split('/');
  const [contextName, nodeName, ...more] = context.split('@');
  if (!contextName || more.length > 0) return null;
  try {
    return {
      contextName: decodeURIComponent(contextName),
      nodeName: nodeName === undefined ? null : decodeURIComponent(nodeName),
      rest: rest.map(decodeURIComponent),
    };
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** Reads a number of the database from a path; null for any other text. */
export function decodeNumber(text: string | undefined): number | null {
  const number = Number(text);
  return String(number) === text && Number.isInteger(number) && number <= 2_147_483_647
    ? number
    : null;
}
