import { isDeepStrictEqual } from 'node:util';

export type Outcome = 'created' | 'changed' | 'unchanged' | 'removed';

/** The outcome for one declared item. */
export type AppliedItem = {
  readonly what: 'context' | 'node' | 'pool' | 'probe' | 'group' | 'meter' | 'sink' | 'alert';
  readonly name: string;
  readonly outcome: Outcome;
};

export function outcomeOf<T>(existing: T | undefined, wanted: T): Outcome {
  if (existing === undefined) return 'created';
  return isDeepStrictEqual(existing, wanted) ? 'unchanged' : 'changed';
}

/** Writes `wanted` if nothing exists yet or if it differs. Returns the outcome. */
export async function settle<T>(
  existing: T | undefined,
  wanted: T,
  write: (wanted: T) => Promise<unknown>,
): Promise<Outcome> {
  const outcome = outcomeOf(existing, wanted);
  if (outcome !== 'unchanged') await write(wanted);
  return outcome;
}

/** Returns `base` with the properties of `changes` that are not undefined. */
export function withChanges<T extends object>(
  base: T,
  changes: { readonly [P in keyof T]?: T[P] | undefined },
): T {
  const said = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...base, ...Object.fromEntries(said) };
}
