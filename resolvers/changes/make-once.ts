import type { RequestScope } from '../request-scope.ts';

/**
 * Makes the change of a field, unless an earlier attempt at the same request has committed it and
 * then had to retry while reading the answer. `name`: the field's name in the answer.
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
