import type { GrantedContext } from '../../../resolvers/callers/identity.ts';
import { chooseNode, urlOf } from '../../../resolvers/nodes.ts';
import type { Followed } from '../../graphql/open-subscriptions.ts';
import type { Watched } from './version-watch.ts';

/** Returns the context and node to watch; null: there is no such node. */
export function watchedNode(
  { destinationNode }: Followed,
  context: GrantedContext,
  { primaryUrl, variable }: Whereabouts,
): Watched | null {
  const { contextId } = context;
  try {
    const node = chooseNode(context, { destinationNode, fromDr: false });
    const nodeUrl = node ? urlOf(node, variable) : primaryUrl;
    return nodeUrl === null ? null : { nodeUrl, contextId };
  } catch {
    // There is no such node: the answer contains the error.
    return null;
  }
}

export type Whereabouts = {
  readonly primaryUrl: string;
  readonly variable: (name: string) => string | undefined;
};
