import { shown } from '../../domain/errors.ts';
import {
  CONTEXT_FIELD,
  CONTEXT_VARIABLES,
  type ContextChoice,
  contextVariables,
} from '../arguments/context-arguments.ts';
import type { Graph } from '../graph.ts';
import { ToolFault } from '../tool-fault.ts';
import { listText } from './list-text.ts';

export type KnownMeter = {
  readonly index: number;
  readonly name: string;
  readonly description: string;
  readonly units: string;
  readonly type: string;
};

export type NamedGroup = { readonly guid: string; readonly name: string };

export type KnownGroup = NamedGroup & {
  readonly keyKind: string;
  readonly bucketSize: number;
  readonly topperBucketSize: number;
  readonly meters: readonly KnownMeter[];
  readonly drilldowns: readonly NamedGroup[];
};

/** Everything that the names in a call can refer to. */
export type KnownContext = {
  readonly name: string;
  readonly probes: readonly string[];
  readonly counterGroups: readonly KnownGroup[];
};

const NAMES = `query McpNames(${CONTEXT_VARIABLES}) {
  ${CONTEXT_FIELD} {
    name
    probes
    counterGroups {
      guid name keyKind bucketSize topperBucketSize
      meters { index name description units type }
      drilldowns { guid name }
    }
  }
}`;

const CONTEXTS = 'query McpContextNames { contexts { name } }';

/** Reads the context. Error: `ToolFault` if it does not exist or the caller may not see it. */
export async function askContext(graph: Graph, choice: ContextChoice): Promise<KnownContext> {
  const variables = contextVariables(choice);
  const { context } = await graph.ask<{ context: KnownContext | null }>(NAMES, variables);
  return context ?? noContext(graph, choice.context);
}

/** Throws a `ToolFault` that lists the contexts the caller may read. */
export async function noContext(graph: Graph, name: string): Promise<never> {
  const { contexts } = await graph.ask<{ contexts: { name: string }[] }>(CONTEXTS, {});
  const names = contexts.map((each) => each.name);
  const granted = names.length === 0 ? 'none' : listText(names);
  throw new ToolFault(`No context ${shown(name)}; the contexts you may read: ${granted}`);
}
