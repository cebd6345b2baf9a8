import { isObject } from '../../domain/is-object.ts';

/**
 * Numbers that the demo may not have at some hours: a key may have had no traffic before, and so no
 * rank and nothing to divide by, and an alert may still be firing.
 */
const SOMETIMES_NULL: ReadonlySet<string> = new Set(['rank', 'changeRatio', 'ended_at']);

/**
 * The places where an answer differs in shape from one that a page shows. Numbers and texts may
 * differ, as they depend on when the demo was made, but fields and types may not. A list may be
 * longer than the page shows.
 */
export function shapeFaults(shown: unknown, real: unknown, place = ''): string[] {
  const kind = kindOf(shown);
  const realKind = kindOf(real);
  if (kind !== realKind)
    return [`${place || 'the answer'}: ${kind} is shown, ${realKind} is given`];
  if (Array.isArray(shown) && Array.isArray(real)) {
    if (shown.length > real.length) return [`${place}: ${real.length} of ${shown.length} entries`];
    return shown.flatMap((each, i) => shapeFaults(each, real[i], `${place}[${i}]`));
  }
  if (!isObject(shown) || !isObject(real)) return [];
  const names = [Object.keys(shown), Object.keys(real)].map((keys) => keys.toSorted().join());
  if (names[0] !== names[1]) return [`${place}: ${names[0]} is shown, ${names[1]} is given`];
  return Object.entries(shown).flatMap(([name, value]) =>
    real[name] === null && SOMETIMES_NULL.has(name)
      ? []
      : shapeFaults(value, real[name], `${place}.${name}`),
  );
}

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
