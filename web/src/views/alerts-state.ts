import type { Fault } from '../api/fault.ts';
import type { StreamState } from '../api/use-stream.ts';
import type { Rule } from '../data/alerts/firing.ts';
import type { ContextStatus } from '../data/overview/context-status.ts';

/** What is known about the context's alerts, for every view. */
export type AlertsState = {
  /** null: not known yet. */
  readonly rules: readonly Rule[] | null;
  /** Why the rules may be outdated or unknown; null if they are current. */
  readonly fault: Fault | null;
  /** The stream of starting and ending events; only a live view follows it. */
  readonly stream: StreamState;
  /** How fresh the data are; null: not known yet. */
  readonly status: ContextStatus | null;
  /** Whether the viewer is an administrator, as far as is known. */
  readonly isAdmin: boolean;
  /** Whether the viewer may change the context, as far as is known. */
  readonly mayEdit: boolean;
  /** Whether the viewer may add data to a context, as far as is known. */
  readonly mayAdd: boolean;
  /** Asks again, unless a request is running; called by views when they load. */
  readonly refresh: () => void;
};
