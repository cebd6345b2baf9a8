import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../domain/callers/caller-network.ts';
import type { Logger } from '../telemetry/log.ts';

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
