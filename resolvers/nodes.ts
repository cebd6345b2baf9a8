import { malformed, serviceError } from '../domain/errors.ts';
import { isDatabaseUrl } from '../domain/text/database-url.ts';
import type { NodeRow } from './loaders/request-reads.ts';
import type { NodeDirectory } from './node-directory.ts';

export type { NodeRow } from './loaders/request-reads.ts';

/** The primary's name wherever a node is named (decision 13). */
export const PRIMARY = 'primary';

/** The node that a request asks for; by default the primary. */
export type NodeChoice = {
  readonly destinationNode: string | null;
  readonly fromDr: boolean;
};

/**
 * Returns the node's address; null if the variable that should hold it is not set, or if it is not
 * one: a declared address was checked by the `apply` of that time.
 */
export function urlOf(
  node: NodeRow,
  variable: (name: string) => string | undefined,
): string | null {
  const value = node.urlEnv === null ? node.url : variable(node.urlEnv);
  return isDatabaseUrl(value) ? value : null;
}

/**
 * Returns the chosen node among `nodes`, or null for the primary. Errors: both options are given,
 * or there is no such node.
 */
export function chooseNode(
  { name, nodes }: { readonly name: string; readonly nodes: readonly NodeRow[] },
  choice: NodeChoice,
): NodeRow | null {
  const { destinationNode, fromDr } = choice;
  if (destinationNode !== null && fromDr) throw choseTwice(destinationNode);
  if (isPrimary(choice)) return null;
  const node = findNode(nodes, choice);
  if (node) return node;
  throw destinationNode === null
    ? serviceError('noRecoveryNode', { context: name })
    : serviceError('invalidNode', { destination_node: destinationNode });
}

/** Whether the primary is chosen. */
export const isPrimary = ({ destinationNode, fromDr }: NodeChoice): boolean =>
  !fromDr && (destinationNode === null || destinationNode === PRIMARY);

/** Returns the chosen node among `nodes`, or null if there is none: the primary is not in them. */
export const findNode = (nodes: readonly NodeRow[], choice: NodeChoice): NodeRow | null =>
  nodes.find(({ name, role }) =>
    choice.fromDr ? role === 'dr' : name === choice.destinationNode,
  ) ?? null;

/** Decision 13: `destination_node` and `get_from_dr` each choose a node; only one may be given. */
export const choseTwice = (destinationNode: string) =>
  malformed(
    'destination_node',
    'left out when the disaster-recovery node is asked for',
    destinationNode,
  );

/** Returns a function from node addresses to names for display: addresses may hold passwords. */
export const nodeNamer =
  (primaryUrl: string, directory: NodeDirectory, variable: (name: string) => string | undefined) =>
  (url: string): string => {
    if (url === primaryUrl) return PRIMARY;
    const node = directory.all().find((each) => urlOf(each, variable) === url);
    return node?.name ?? 'unknown';
  };
