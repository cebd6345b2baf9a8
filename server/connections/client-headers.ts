import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isRequestId } from '../../db/session/begin-text.ts';
import { isLoopback } from '../../domain/callers/caller-network.ts';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import type { Logger } from '../telemetry/log.ts';

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

type IsTrusted = (address: string, hop: number) => boolean;

/**
 * Returns the id that a trusted proxy gave the request, so that its log and ours can be correlated.
 * Replaces an id from anybody else, or in another form, with a new one: a caller that may choose
 * ids can hide behind those of others.
 */
export function requestIdOf(request: IncomingMessage, isTrusted: IsTrusted): string {
  const given = request.headers['x-request-id'];
  const { remoteAddress } = request.socket;
  if (typeof given !== 'string' || remoteAddress === undefined) return randomUUID();
  return isTrusted(remoteAddress, 0) && isRequestId(given) ? given : randomUUID();
}

/**
 * Warns the operator once that a proxy on this machine is not declared: all callers behind it are
 * taken for callers from this machine, whose failed log-ins are not counted.
 */
export function warnOfUndeclaredProxy(
  log: Logger,
  isTrusted: (address: string, distance: number) => boolean,
): (request: IncomingMessage) => void {
  let isTold = false;
  return ({ headers, socket: { remoteAddress } }) => {
    if (isTold || headers['x-forwarded-for'] === undefined || remoteAddress === undefined) return;
    if (!isLoopback(remoteAddress) || isTrusted(remoteAddress, 0)) return;
    isTold = true;
    log.warn(
      { proxy: remoteAddress },
      'X-Forwarded-For is not believed, and failed log-ins through this proxy are not counted: ' +
        'name it in COUNTERGRAPH_TRUST_PROXY',
    );
  };
}
