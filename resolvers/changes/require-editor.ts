import { serviceError } from '../../domain/errors.ts';
import type { ContextMutation } from '../audited-change.ts';
import type { Identity } from '../callers/identity.ts';
import { signedIn } from '../contexts.ts';
import type { RequestScope } from '../request-scope.ts';

/**
 * Returns the caller's identity if they may change a granted context. Errors: `notEditor`;
 * `unreachable` if a node other than the primary authenticated them, because only the primary
 * accepts changes.
 */
export function requireEditor(
  scope: RequestScope,
  context: string,
  mutation: ContextMutation,
): Identity {
  const identity = signedIn(scope);
  const { username, nodeUrl } = identity;
  if (nodeUrl !== scope.reads.primaryUrl) throw serviceError('unreachable');
  if (identity.contexts.get(context)?.role === 'editor') return identity;
  scope.onChange({ user: username, from: scope.from, context, mutation, refused: true });
  throw serviceError('notEditor', { username, context });
}

/**
 * Makes the change of a field, unless an earlier attempt at the same request has committed it and
 * then had to retry while reading the answer: then what that returned. `name`: the field's name in
 * the answer.
 */
export async function makeOnce<T>(
  { committed }: Pick<RequestScope, 'committed'>,
  name: string,
  make: () => Promise<T>,
): Promise<T> {
  // The same field of the same request made it.
  if (committed.has(name)) return committed.get(name) as T;
  const made = await make();
  committed.set(name, made);
  return made;
}
