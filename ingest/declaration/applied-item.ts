import { isDeepStrictEqual } from 'node:util';

export type ItemOutcome = 'created' | 'changed' | 'unchanged' | 'removed';

/** The outcome for one declared item. */
export type AppliedItem = {
  readonly what: 'context' | 'node' | 'pool' | 'probe' | 'group' | 'meter' | 'sink' | 'alert';
  readonly name: string;
  readonly outcome: ItemOutcome;
  /** What is different now; only for an item that was there and has changed. */
  readonly fields?: readonly string[];
};

export function itemOutcome<T>(existing: T | undefined, wanted: T): ItemOutcome {
  if (existing === undefined) return 'created';
  return isDeepStrictEqual(existing, wanted) ? 'unchanged' : 'changed';
}

/** Writes `wanted` if nothing exists yet or if it differs. Returns the outcome. */
export async function settle<T extends object>(
  existing: T | undefined,
  wanted: T,
  write: (wanted: T) => Promise<unknown>,
): Promise<Pick<AppliedItem, 'outcome' | 'fields'>> {
  const outcome = itemOutcome(existing, wanted);
  if (outcome !== 'unchanged') await write(wanted);
  return existing && outcome === 'changed'
    ? { outcome, fields: changedFields(existing, wanted) }
    : { outcome };
}

export const changedFields = <T extends object>(existing: T, wanted: T): string[] =>
  Object.entries(wanted)
    .filter(([name, value]) => !isDeepStrictEqual(existing[name as keyof T], value))
    .map(([name]) => name.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`));

/** Returns `base` with the properties of `changes` that are not undefined. */
export function withChanges<T extends object>(
  base: T,
  changes: { readonly [P in keyof T]?: T[P] | undefined },
): T {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(said) };
}
