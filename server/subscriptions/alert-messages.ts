import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import {
  type ChangeCursor,
  changesSince,
  firingNow,
} from '../../resolvers/alerts/alert-changes.ts';
import { findContext } from '../../resolvers/contexts.ts';
import type { MessageSource } from './message-source.ts';

/** Returns the messages of `alertEvents`: first what is firing, then each beginning and end. */
export const alertMessages: MessageSource = async (scope, contextName, after) => {
  const at = await findContext(scope, contextName);
  // `Followers` asks only on behalf of subscribers who may read the context.
  if (!at) throw new Error('the context of the alerts is not granted');
  const found = after === null ? await firingNow(at) : await changesSince(at, placeIn(after));
  switch (found.kind) {
    case 'changes':
      return { cursor: cursorOf(found.place), roots: found.events, hasMore: found.hasMore };
    case 'missed':
      return { over: serviceError('alertsMissed') };
    case 'behind':
      return { over: serviceError('tooFarBehind', { limit: LIMITS.alertChangesBehind }) };
    default:
      return found satisfies never;
  }
};

/** Formats a cursor as `select-watched-alerts.ts` returns it. */
const cursorOf = ({ number, nonce }: ChangeCursor): string => `${number} ${nonce}`;

function placeIn(cursor: string): ChangeCursor {
  const [number = '', nonce = ''] = cursor.split(' ');
  return { number: Number(number), nonce };
}
