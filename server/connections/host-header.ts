import type { IncomingMessage } from 'node:http';
import { type ServiceError, serviceError } from '../../domain/errors.ts';

/**
 * Returns what is wrong with the `Host` header of a request. RFC 9112, 3.2: HTTP/1.1 needs one, and
 * several are always an error, because a proxy may go by another one than the server. Node shows
 * only the first in `headers`. Their value does not matter: nothing depends on it.
 */
export function hostFault({
  rawHeaders,
  httpVersionMinor,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersionMinor'>): ServiceError | null {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return serviceError('severalHosts', { 'how many': hosts });
  return hosts === 0 && httpVersionMinor > 0 ? serviceError('notHttp') : null;
}
