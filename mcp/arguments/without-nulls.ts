import { isObject } from '../../domain/is-object.ts';

/** Levels of objects in arguments: `window.interval.from` has three. */
const LEVELS = 3;

/**
 * Leaves out every field that is null, as GraphQL does with optional arguments: some clients send
 * null for all that the model has not filled in. Lists keep their values. Deeper objects, which no
 * argument has, are returned as they are.
 */
export function withoutNulls(value: unknown, levels = LEVELS): unknown {
  if (!isObject(value) || levels === 0) return value;
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(given.map(([name, each]) => [name, withoutNulls(each, levels - 1)]));
}
