import { serviceError } from '../domain/errors.ts';
import type { Interval } from '../domain/time/interval.ts';
import type { GrantedContext, Identity } from './callers/identity.ts';
import type { NodeLoaders } from './loaders/session/node-loaders.ts';
import type { SharedNode } from './loaders/session/request-reads.ts';
import { chooseNode, type NodeChoice, type NodeRow, PRIMARY, urlOf } from './nodes.ts';
import type { RequestScope } from './request-scope.ts';

/** A context as one of its nodes has it. Everything below it is read from that node. */
export type ContextView = {
  readonly contextId: number;
  readonly name: string;
  /** Of a standby that answers in place of the primary it is the primary's. */
  readonly nodeName: string;
  readonly nodeUrl: string;
  readonly loaders: NodeLoaders;
};

/** Decision 11: whoever has not said who they are gets nothing. */
export function signedIn({ identity }: RequestScope): Identity {
  if (!identity) throw serviceError('invalidToken');
  return identity;
}

/** The granted context on the chosen node. Errors: no such node, or its address is not known. */
export function viewContext(
  scope: RequestScope,
  context: GrantedContext,
  choice: NodeChoice,
): ContextView {
  const node = chooseNode(context, choice);
  const nodeUrl = node ? knownUrl(scope, context, node) : scope.reads.primaryUrl;
  const { contextId, name } = context;
  const isNamed = choice.destinationNode !== null;
  if (!node) scope.reads.view(contextId, isNamed ? [] : sharedNodes(scope, context));
  const loaders = scope.reads.at(nodeUrl);
  return { contextId, name, nodeName: node?.name ?? PRIMARY, nodeUrl, loaders };
}

/** Those that may answer in place of the primary. One without an address is passed over. */
const sharedNodes = (scope: RequestScope, { nodes }: GrantedContext): SharedNode[] =>
  nodes
    .filter(({ share }) => share)
    .flatMap((node) => {
      const url = urlOf(node, scope.variable);
      return url === null ? [] : [{ name: node.name, url }];
    });

/** The node that answers: a standby that is shared has the ids of the primary, but not its name. */
export function answeringNode(
  { reads }: RequestScope,
  { contextId, nodeName, nodeUrl }: ContextView,
): string | Promise<string> {
  if (nodeUrl !== reads.primaryUrl || !reads.isShared(contextId)) return nodeName;
  return reads.standbyFor(contextId).then((name) => name ?? nodeName);
}

function knownUrl(scope: RequestScope, context: GrantedContext, node: NodeRow): string {
  const url = urlOf(node, scope.variable);
  if (url !== null) return url;
  // For the log: callers are not told how the server is set up.
  const cause = new Error(
    `the variable ${node.urlEnv} must hold the address of the node ${node.name} of the context ` +
      `${context.name}, and is not set: set it where the server is started, and start the server again`,
  );
  throw serviceError('unreachable', {}, { cause });
}

const ON_PRIMARY: NodeChoice = { destinationNode: null, fromDr: false };

/** Decision 12: the contexts granted to whoever asks, and no others. */
export const grantedContexts = (scope: RequestScope): ContextView[] =>
  viewContexts(scope, [...signedIn(scope).contexts.values()]);

/** Those of them that they may also change. */
export const editableContexts = (scope: RequestScope): ContextView[] =>
  viewContexts(
    scope,
    [...signedIn(scope).contexts.values()].filter(({ role }) => role === 'editor'),
  );

const viewContexts = (scope: RequestScope, contexts: readonly GrantedContext[]): ContextView[] =>
  contexts.map((context) => viewContext(scope, context, ON_PRIMARY));

/** null: it does not exist, or is not granted. */
export function findContext(
  scope: RequestScope,
  name: string,
  choice: NodeChoice = ON_PRIMARY,
): ContextView | null {
  const context = signedIn(scope).contexts.get(name);
  return context ? viewContext(scope, context, choice) : null;
}

/** What the node itself says (decision 13). */
export const haSlaveMode = async ({ loaders }: ContextView): Promise<boolean> =>
  (await loaders.serverFacts()).isStandby;

/** Decision 17: from the oldest to the newest available bucket's end; null without data. */
export async function totalWindow({ loaders, contextId }: ContextView): Promise<Interval | null> {
  const row = await loaders.totalWindowByContext.load(contextId);
  return row && { from: row.from, to: row.to };
}

export const probeNames = async ({ loaders, contextId }: ContextView): Promise<string[]> =>
  (await loaders.catalog(contextId)).probes.map(({ name }) => name);

/** The id of a probe in samples; null stands for all. Error: the context has no such probe. */
export async function probeIdOf(at: ContextView, name: string | null): Promise<number | null> {
  if (name === null) return null;
  const { probes } = await at.loaders.catalog(at.contextId);
  const probe = probes.find((candidate) => candidate.name === name);
  if (!probe) throw serviceError('invalidProbe', { probe_id: name });
  return probe.probeId;
}
