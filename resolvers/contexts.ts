import { ServiceError, serviceError } from '../domain/errors.ts';
import { addressFault } from '../domain/text/database-url.ts';
import type { Interval } from '../domain/time/interval.ts';
import type { GrantedContext, Identity } from './callers/identity.ts';
import type { Catalog, NodeLoaders, ProbeRow } from './loaders/node-loaders.ts';
import type { SharedNode } from './loaders/request-reads.ts';
import {
  chooseNode,
  findNode,
  isPrimary,
  type NodeChoice,
  type NodeRow,
  PRIMARY,
  urlOf,
} from './nodes.ts';
import type { RequestScope } from './request-scope.ts';

/** A context on one of its nodes. Everything below it is read from that node. */
export type ContextView = {
  readonly contextId: number;
  readonly name: string;
  /** If a standby answers instead of the primary, the primary's name. */
  readonly nodeName: string;
  readonly nodeUrl: string;
  readonly loaders: NodeLoaders;
};

/** Decision 11: an unauthenticated caller gets nothing. */
export function signedIn({ identity }: RequestScope): Identity {
  if (!identity) throw serviceError('invalidToken');
  return identity;
}

/**
 * Returns the granted context on the chosen node. Errors: there is no such node, or its address is
 * not known.
 */
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

/** Returns the nodes that may answer in place of the primary. Skips nodes without an address. */
const sharedNodes = (scope: RequestScope, { nodes }: GrantedContext): SharedNode[] =>
  nodes
    .filter(({ share }) => share)
    .flatMap((node) => {
      const url = urlOf(node, scope.variable);
      return url === null ? [] : [{ name: node.name, url }];
    });

/** Returns the name of the answering node: a shared standby has the primary's ids, not its name. */
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
  const value = node.urlEnv === null ? node.url : scope.variable(node.urlEnv);
  const found = value ? addressFault(value) : null;
  const fault = found ? `, and holds ${found.got}: ${found.remedy}` : ', and is not set: set it';
  const place = node.urlEnv === null ? 'the declaration' : `the variable ${node.urlEnv}`;
  // Only for the log: callers must not learn how the server is configured.
  const cause = new Error(
    `${place} must hold the address of the node ${node.name} of the context ${context.name}` +
      `${fault} where the server is started, and restart the server`,
  );
  throw serviceError('unreachable', {}, { cause });
}

const ON_PRIMARY: NodeChoice = { destinationNode: null, fromDr: false };

/** Decision 12: returns the contexts granted to the caller, and no others. */
export const grantedContexts = (scope: RequestScope): ContextView[] =>
  viewContexts(scope, [...signedIn(scope).contexts.values()]);

/** Returns the granted contexts that the caller may also change. */
export const editableContexts = (scope: RequestScope): ContextView[] =>
  viewContexts(
    scope,
    [...signedIn(scope).contexts.values()].filter(({ role }) => role === 'editor'),
  );

const viewContexts = (scope: RequestScope, contexts: readonly GrantedContext[]): ContextView[] =>
  contexts.map((context) => viewContext(scope, context, ON_PRIMARY));

/** Returns null if the context does not exist or is not granted. Errors: see `grantFor`. */
export async function findContext(
  scope: RequestScope,
  name: string,
  choice: NodeChoice = ON_PRIMARY,
): Promise<ContextView | null> {
  const context = await grantFor(scope, name, choice);
  return context && viewContext(scope, context, choice);
}

/**
 * Returns a context that the caller may read on the chosen node; null if it does not exist or is
 * not granted. If another node identified the caller in place of the primary, the chosen node
 * decides (decision 13). Errors: why the primary cannot be read, if only it could tell;
 * `notGrantedThere`.
 */
export async function grantFor(
  scope: RequestScope,
  name: string,
  choice: NodeChoice,
): Promise<GrantedContext | null> {
  const { reads, directory, variable } = scope;
  const identity = signedIn(scope);
  const granted = identity.contexts.get(name) ?? null;
  if (identity.nodeUrl === reads.primaryUrl) return granted;
  if (isPrimary(choice)) reads.requireReadable(reads.primaryUrl);
  const nodes = granted?.nodes ?? directory.nodesOf(name);
  const node = findNode(nodes, choice);
  const nodeUrl = node && urlOf(node, variable);
  if (granted && (node === null || nodeUrl === null)) return granted;
  const context = await grantAt(identity, nodeUrl, { name, isKnown: granted !== null });
  if (context) return { ...context, nodes };
  if (granted && node) throw serviceError('notGrantedThere', { node: node.name, context: name });
  reads.requireReadable(reads.primaryUrl);
  return null;
}

/** isKnown: otherwise an error must not reveal that the context exists. */
async function grantAt(
  identity: Identity,
  nodeUrl: string | null,
  { name, isKnown }: { readonly name: string; readonly isKnown: boolean },
): Promise<GrantedContext | null> {
  if (nodeUrl === null) return null;
  try {
    return (await identity.grantsOf(nodeUrl)).get(name) ?? null;
  } catch (error) {
    if (isKnown || !(error instanceof ServiceError)) throw error;
    return null;
  }
}

/** As reported by the node itself (decision 13). */
export const haSlaveMode = async ({ loaders }: ContextView): Promise<boolean> =>
  (await loaders.serverFacts()).isStandby;

/** Decision 17: from the oldest available bucket to the end of the newest; null without data. */
export async function totalWindow(at: ContextView): Promise<Interval | null> {
  if (at.loaders.isLimited(at.contextId)) return visibleWindow(at);
  const row = await at.loaders.totalWindowByContext.load(at.contextId);
  requireSame(at, row?.name ?? null);
  return row && { from: row.from, to: row.to };
}

/** Returns the same of what the caller may see. */
async function visibleWindow(at: ContextView): Promise<Interval | null> {
  const catalog = await catalogOf(at);
  const enabled = catalog.groups.filter((row) => row.enabled);
  const spans = await Promise.all(
    enabled.map(async ({ groupId, bucketSize }) => {
      const group = catalog.readGroup(groupId);
      const { contextId, loaders } = at;
      const found = await loaders.coverage.load({ contextId, group, probeId: null });
      return found.map(({ firstBucket: from, lastBucket }) => ({
        from,
        to: lastBucket + bucketSize,
      }));
    }),
  );
  const all = spans.flat();
  if (all.length === 0) return null;
  return {
    from: Math.min(...all.map(({ from }) => from)),
    to: Math.max(...all.map(({ to }) => to)),
  };
}

/** Returns the groups, meters and probes of the context, and the extent of its data. */
export async function catalogOf(at: ContextView): Promise<Catalog> {
  const { name, catalog } = await at.loaders.contextState(at.contextId);
  requireSame(at, name);
  return catalog;
}

/**
 * Checks which context the node has under the id that another node gave. It has a different one if
 * it is not a copy of that node: its address is wrong, or the primary was restored from an older
 * backup. `found`: the name there; null if the node does not have the context yet.
 */
export function requireSame({ name, nodeName }: ContextView, found: string | null): void {
  if (found === null || found === name) return;
  const cause = new Error(`the node ${nodeName} has the context ${found} there`);
  throw serviceError('otherContext', { node: nodeName, context: name }, { cause });
}

/** Returns the names of the probes that the caller may see. */
export async function probeNames(at: ContextView): Promise<string[]> {
  const catalog = await catalogOf(at);
  const seen = await Promise.all(catalog.probes.map((probe) => isProbeSeen(at, probe)));
  return catalog.probes.filter((_, i) => seen[i]).map(({ name }) => name);
}

/** Returns the id of a probe in samples; null: all probes. Error: the context has no such probe. */
export async function probeIdOf(at: ContextView, name: string | null): Promise<number | null> {
  if (name === null) return null;
  const catalog = await catalogOf(at);
  const probe = catalog.probes.find((candidate) => candidate.name === name);
  if (probe && (await isProbeSeen(at, probe))) return probe.probeId;
  throw serviceError('invalidProbe', { probe_id: name });
}

/** Whose networks or groups are limited knows of probes only by what they read there. */
async function isProbeSeen({ loaders, contextId }: ContextView, probe: ProbeRow): Promise<boolean> {
  const { limit } = await loaders.contextState(contextId);
  if (limit === null || limit.seesAllOf(probe.name)) return true;
  return loaders.seenProbes.load({ contextId, probeId: probe.probeId });
}
