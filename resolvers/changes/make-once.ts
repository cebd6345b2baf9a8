import type { RequestScope } from '../request-scope.ts';

/**
 * Makes the change of a field, unless it was committed by an earlier attempt at the same request,
 * which began anew while it read what to answer. `name`: what the answer calls the field.
 */
export async function makeOnce(
  { committed }: Pick<RequestScope, 'committed'>,
  name: string,
  make: () => Promise<void>,
): Promise<void> {
  if (committed.has(name)) return;
  await make();
  committed.add(name);
}
