/** The types that `node(id:)` can give. */
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

/** No context has an empty name, so this id is that of nothing: `node` answers null. */
const NOTHING: GlobalId = { typename: 'Context', id: '' };

export const encodeGlobalId = (typename: string, id: string | number | bigint): string =>
  Buffer.from(`${typename}:${id}`).toString('base64url');

/** An id that cannot be read is an id that does not exist (decisions, section 9): no error. */
export function decodeGlobalId(globalId: string): GlobalId {
  const [, typename = '', id = ''] = /^(\w+):(.*)$/s.exec(fromBase64(globalId)) ?? [];
  return NODE_TYPES.some((name) => name === typename) ? { typename, id } : NOTHING;
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64url').toString();

/**
 * A path of names as the local part of a global id: the context, with the name of the node that
 * answers unless it is the primary, then what leads down to the object.
 */
export function encodePath(
  at: { name: string; nodeName: string },
  ...rest: readonly (string | number)[]
): string {
  const node = at.nodeName === 'primary' ? '' : `@${encodeURIComponent(at.nodeName)}`;
  return [`${encodeURIComponent(at.name)}${node}`, ...rest.map(encodeURIComponent)].join('/');
}

export type ObjectPath = { contextName: string; nodeName: string | null; rest: string[] };

/** null for a text that encodePath never made. */
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

/** A number of the database as a path has it; null for any other text. */
export function decodeNumber(text: string | undefined): number | null {
  const number = Number(text);
  return String(number) === text && Number.isInteger(number) && number <= 2_147_483_647
    ? number
    : null;
}
