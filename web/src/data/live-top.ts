import {
  LiveTopKeys,
  type LiveTopKeysSubscription,
  LiveTopKeysWithout,
  type LiveTopKeysWithoutSubscriptionVariables,
  type TopKeysWithoutQueryVariables,
} from '../../generated/operations.ts';
import type { Operation } from '../api/operation.ts';
import type { TopAnswer } from './shown-toppers.ts';

export type LiveQuestion = {
  readonly operation: Operation<LiveTopKeysSubscription, LiveTopKeysWithoutSubscriptionVariables>;
  readonly variables: LiveTopKeysWithoutSubscriptionVariables;
};

/** The subscription for the answer of a query, on the node that answered the query. */
export function liveQuestion(
  { fromDr, ...variables }: TopKeysWithoutQueryVariables,
  answer: TopAnswer | null,
): LiveQuestion {
  const node = fromDr ? (answer?.context?.nodeName ?? null) : variables.node;
  return {
    operation: variables.hidden.length > 0 ? LiveTopKeysWithout : LiveTopKeys,
    variables: { ...variables, node: node ?? null },
  };
}

/** Returns the ends of the data, which change when data arrives. Labels may change without that. */
export const dataMark = ({ context }: Pick<TopAnswer, 'context'>): string =>
  `${context?.totalWindow?.to} ${context?.counterGroup?.table?.availableWindow?.to}`;

/** How long no data may arrive before the page says so: a topper bucket and a minute. */
export const patienceMs = (group: { readonly topperBucketSize: number } | null): number =>
  (Math.min(group?.topperBucketSize ?? 0, 300) + 60) * 1000;
