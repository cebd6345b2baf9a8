import { LIMITS } from '../../domain/limits.ts';
import type { NodeChoice } from '../../resolvers/nodes.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';

/** The argument that names the context, by field of `Subscription`. */
const CONTEXT_ARGUMENTS: Readonly<Record<string, string>> = {
  topper: 'context',
  contextChanged: 'name',
  alertEvents: 'context',
};

/** What a subscription follows, according to its arguments. */
export type Followed = {
  readonly contextName: string;
  readonly destinationNode: string | null;
  readonly everyMs: number;
};

/** Reads the arguments of a field. */
export function followedBy({ field, args }: RequestedSubscription): Followed {
  const contextName = args[CONTEXT_ARGUMENTS[field] ?? ''];
  const { everySeconds, destinationNode } = args;
  if (typeof contextName !== 'string') throw new Error(`${field} names no context`);
  return {
    contextName,
    destinationNode: typeof destinationNode === 'string' ? destinationNode : null,
    // The field's resolver refuses values below 1. Fields without it send every change.
    everyMs: typeof everySeconds === 'number' ? clamp(everySeconds) * 1000 : LIMITS.alertChangesMs,
  };
}

/** Limits an interval to what Node's timers can hold without overflow. */
const clamp = (seconds: number): number => Math.min(Math.max(1, seconds), LIMITS.timeoutSeconds);

export const choiceOf = ({ destinationNode }: Followed): NodeChoice => ({
  destinationNode,
  fromDr: false,
});
