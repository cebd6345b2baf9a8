import { malformed } from '../../domain/errors.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { GroupRef } from '../../resolvers/counter-groups.ts';

type GivenRef = {
  readonly guid: Guid | null | undefined;
  readonly name: string | null | undefined;
  /** The argument that takes the GUID. */
  readonly argument: 'guid' | 'crosskey';
};

/** Returns what is given of the two; null: nothing. Error: both are given. */
export function decodeGroupRef({ guid, name, argument }: GivenRef): GroupRef | null {
  if (guid != null && name != null) {
    throw malformed(`${argument} and name`, 'given one at a time', `${guid} and ${name}`);
  }
  if (guid != null) return { guid };
  return name == null ? null : { name };
}

/** Returns the one that is given. Error: both are given, or neither. */
export function requireGroupRef(given: GivenRef): GroupRef {
  const ref = decodeGroupRef(given);
  if (ref === null) {
    const must = 'given: the GUID of a group, or its name';
    throw malformed(`${given.argument} or name`, must, 'neither');
  }
  return ref;
}
