import type { ContextView } from '../resolvers/contexts.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { RequestScope, ServiceSettings } from '../resolvers/request-scope.ts';
import type { TimeoutRule } from './decode-common.ts';
import type { Parameters } from './parameters.ts';

/** One of the three legacy endpoints: how its parameters are read and what it answers. */
export type Endpoint<Options extends { node: NodeChoice }> = {
  readonly path: string;
  readonly timeout: (settings: ServiceSettings) => TimeoutRule;
  /** What must be there before values are looked at (decision 3). Error: 400. */
  readonly require?: (parameters: Parameters) => void;
  /** Errors: 400 for each value that is malformed. Nothing is looked up. */
  readonly decode: (parameters: Parameters, settings: ServiceSettings) => Options;
  /** The response's root object. Errors: 422 for well-formed names that do not exist. */
  readonly answer: (
    scope: RequestScope,
    at: ContextView,
    options: Options,
  ) => Promise<Record<string, unknown>>;
};
