import { serviceError } from '../../domain/errors.ts';
import type { LogInGate } from '../../resolvers/callers/log-in-gate.ts';
import type { Service } from '../service/service.ts';
import type { Permits } from './permits.ts';
import type { VersionWatch } from './versions/version-watch.ts';
import type { Whereabouts } from './versions/watched-node.ts';

/** What all questions share. */
export type LiveParts = {
  readonly service: Service;
  readonly watch: VersionWatch;
  readonly permits: Permits;
  readonly whereabouts: Whereabouts;
  /** Called when an answer was computed. */
  readonly onComputed: () => void;
};

/**
 * Subscribers have logged in already: asking again on their behalf is not a log-in attempt. A
 * stand-in that does not know them may lag behind, so their streams go on.
 */
export const LIVE_GATE: LogInGate = {
  check: () => undefined,
  failed: (_, by) => serviceError(by === 'primary' ? 'invalidToken' : 'unreachable'),
  proved: () => undefined,
};
