import { type ServiceError, serviceError } from '../../domain/errors.ts';
import type { LogInGate } from '../../resolvers/callers/log-in-gate.ts';
import { PRIMARY } from '../../resolvers/nodes.ts';
import type { Followed } from '../graphql/open-subscriptions.ts';
import type { Service } from '../service/service.ts';
import type { Outages } from './outages.ts';
import type { Permits } from './permits.ts';
import type { VersionWatch } from './versions/version-watch.ts';
import type { Whereabouts } from './versions/watched-node.ts';

/** What all queries share. */
export type LiveParts = {
  readonly service: Service;
  readonly watch: VersionWatch;
  readonly permits: Permits;
  readonly outages: Outages;
  readonly whereabouts: Whereabouts;
  /** Called when an answer was computed. */
  readonly onComputed: () => void;
};

/**
 * Subscribers have logged in already: asking again on their behalf is not a log-in attempt. A
 * stand-in that does not know them may lag behind, so their streams go on.
 */
export const liveGate = (followed: Followed): LogInGate => ({
  caller: '',
  check: () => undefined,
  failed: (_, by) => (by === 'primary' ? serviceError('invalidToken') : refusalOf(followed)),
  proved: () => undefined,
});

/** Returns the error if only stand-ins can be asked, and none of them knows the subscriber. */
export const refusalOf = ({ contextName, destinationNode }: Followed): ServiceError =>
  destinationNode === null || destinationNode === PRIMARY
    ? serviceError('unreachable')
    : serviceError('notGrantedThere', { node: destinationNode, context: contextName });
