import { malformed } from '../domain/errors.ts';
import { isEmptyFilter, type KeyFilter } from '../domain/filters/key-filter.ts';
import { joinCrossKey, parseKeyOfKinds } from '../domain/keys/cross-key.ts';
import { defaultLabel } from '../domain/keys/default-label.ts';
import type { SimpleKeyKind } from '../domain/keys/key-kind.ts';
import { formatReadable } from '../domain/keys/key-text.ts';
import { LIMITS } from '../domain/limits.ts';
import type { Interval } from '../domain/time/interval.ts';
import type { WindowRequest } from '../domain/time/window.ts';
import type { CounterGroupView } from './counter-groups.ts';
import type { DescribedKey } from './loaders/node-loaders.ts';
import type { Deadline } from './loaders/request-reads.ts';
import type { RequestScope } from './request-scope.ts';
import { windowOf } from './window-of.ts';

export type KeyView = { readonly group: CounterGroupView; readonly row: DescribedKey };

export type KeyAttribute = { readonly name: string; readonly value: string };

/** A key with everything needed to display it. */
type NamedKey = {
  readonly group: { readonly crosskey: object | null; readonly kinds: readonly SimpleKeyKind[] };
  readonly row: DescribedKey;
};

/** Returns the parts of a cross-key; any other key is its own single part. */
const partsOf = ({ group, row }: NamedKey): readonly string[] =>
  group.crosskey ? row.parts : [row.key];

/** Decisions 30 and 31: the readable form; parts of a cross-key are joined as in the raw key. */
export function readableOf(key: NamedKey): string {
  const readables = partsOf(key).map((part, i) => formatReadable(kindAt(key, i), part));
  return joined(key, readables);
}

/** Returns the label given to the key, else the default of its kind, else its readable form. */
export function labelOf(key: NamedKey): string {
  if (key.row.label !== null) return key.row.label;
  const labels = partsOf(key).map((part, i) => {
    const kind = kindAt(key, i);
    return key.row.partLabels[i] ?? defaultLabel(kind, part) ?? formatReadable(kind, part);
  });
  return joined(key, labels);
}

const kindAt = ({ group }: NamedKey, partIndex: number): SimpleKeyKind =>
  group.kinds[partIndex] ?? 'text';

const joined = ({ group, row }: NamedKey, texts: readonly string[]): string =>
  group.crosskey ? joinCrossKey(texts) : (texts[0] ?? row.key);

/** Returns the attributes sorted by name; a value that is not text is written as JSON. */
export const attributesOf = ({ row }: KeyView): KeyAttribute[] =>
  Object.entries(row.attributes ?? {})
    .map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Finds a key of the group by its raw or readable form; null if the group has no such key. */
export async function findKey(group: CounterGroupView, text: string): Promise<KeyView | null> {
  const key = parseKeyOf(group, text);
  return key === null ? null : findRawKey(group, key);
}

/** Returns the raw form of a key in raw or readable form; null if it cannot be one of the group. */
export const parseKeyOf = ({ kinds }: CounterGroupView, text: string): string | null =>
  parseKeyOfKinds(kinds, text);

/** Finds the key of the group with exactly this raw form. */
export async function findRawKey(group: CounterGroupView, key: string): Promise<KeyView | null> {
  const { loaders, contextId } = group.at;
  // PostgreSQL text cannot contain NUL, so no key does.
  if (key.includes('\0')) return null;
  if (!(await loaders.keyExists.load({ contextId, group: group.read, key }))) return null;
  const [view] = await viewKeys(group, [key], null);
  return view ?? null;
}

/** Returns keys with their texts. The keys are in raw form and known to exist. */
export async function viewKeys(
  group: CounterGroupView,
  keys: readonly string[],
  deadline: Deadline | null,
): Promise<KeyView[]> {
  const { loaders, contextId } = group.at;
  const rows = await loaders.describedKeys.load({ contextId, group: group.read, keys, deadline });
  return rows.map((row) => ({ group, row }));
}

export type KeyPage = {
  readonly group: CounterGroupView;
  readonly keys: readonly KeyView[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Number of keys on all pages. */
  readonly totalCount: () => Promise<number>;
};

type KeyPageSelection = {
  readonly filter: Pick<KeyFilter, 'search' | 'match' | 'cidr'>;
  /** Only keys with a reading of any meter in it, even if zero; null: all keys. */
  readonly window: WindowRequest | null;
  readonly first: number;
  readonly after: string | null;
};

/** Returns the group's keys in byte order. Errors: an invalid filter, window, number or cursor. */
export async function listKeys(
  scope: RequestScope,
  group: CounterGroupView,
  { filter, window, first, after }: KeyPageSelection,
): Promise<KeyPage> {
  if (first < 0 || first > LIMITS.keysPage) {
    throw malformed('first', `an integer from 0 to ${LIMITS.keysPage}`, first);
  }
  const afterKey = after === null ? null : decodeCursor(after);
  const { loaders, contextId } = group.at;
  const list = {
    contextId,
    group: group.read,
    filter: isEmptyFilter(filter) ? null : filter,
    window: window && (await keysWindow(scope, group, window)),
  };
  const page = await loaders.keyLists.page({ ...list, after: afterKey, limit: first });
  return {
    group,
    keys: page.keys.map((row) => ({ group, row })),
    hasNextPage: page.hasMore,
    hasPreviousPage: afterKey !== null,
    totalCount: () => loaders.keyLists.count(list),
  };
}

async function keysWindow(
  scope: RequestScope,
  group: CounterGroupView,
  requested: WindowRequest,
): Promise<Interval> {
  const { timeZone } = scope.settings;
  return (await windowOf(scope, group, { requested, timeZone, probeId: null })).window;
}

const CURSOR = 'key:';

export const encodeCursor = ({ row }: KeyView): string =>
  Buffer.from(`${CURSOR}${row.key}`).toString('base64url');

function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (
    !text.startsWith(CURSOR) ||
    text.includes('\0') ||
    Buffer.from(text).toString('base64url') !== cursor
  ) {
    throw malformed('after', 'the cursor of an edge', cursor);
  }
  return text.slice(CURSOR.length);
}
