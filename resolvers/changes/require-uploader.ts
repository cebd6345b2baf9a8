import { serviceError } from '../../domain/errors.ts';
import { signedIn } from '../contexts.ts';
import type { RequestScope } from '../request-scope.ts';
import { requireEditor } from './require-editor.ts';

/** Who may upload into a context. mayCreate: it does not exist, and they are an administrator. */
export type PermittedUpload = { readonly username: string; readonly mayCreate: boolean };

/**
 * Returns the caller if they may upload files into a context: as an editor of all of it, since what
 * a file brings may be of any network, probe or group (ADR 35), or as the administrator who creates
 * it. Errors: `notEditor`, `partOfContext`, `notAllowed`, `onlyAdminCreates`; `unreachable` if a
 * node other than the primary authenticated the caller.
 */
export async function requireUploader(
  scope: RequestScope,
  context: string,
): Promise<PermittedUpload> {
  const { username, nodeUrl, contexts, isAdmin } = signedIn(scope);
  const granted = contexts.get(context);
  if (granted) {
    requireEditor(scope, context, 'upload');
    if (granted.limit === null) return { username, mayCreate: false };
    throw refused(scope, { context, username }, 'partOfContext');
  }
  if (nodeUrl !== scope.reads.primaryUrl) throw serviceError('unreachable');
  if (await scope.reads.contextExists(nodeUrl, context)) {
    throw refused(scope, { context, username }, 'notAllowed');
  }
  if (isAdmin) return { username, mayCreate: true };
  throw refused(scope, { context, username }, 'onlyAdminCreates');
}

function refused(
  scope: RequestScope,
  { context, username }: { readonly context: string; readonly username: string },
  kind: 'partOfContext' | 'notAllowed' | 'onlyAdminCreates',
) {
  scope.onChange({ user: username, from: scope.from, context, mutation: 'upload', refused: true });
  return serviceError(kind, { username, context });
}
