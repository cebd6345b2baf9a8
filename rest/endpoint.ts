import type { ErrorKind } from '../domain/errors.ts';
import type { ContextView } from '../resolvers/contexts.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { Rendered, RequestScope, ServiceSettings } from '../resolvers/request-scope.ts';
import type { JsonSchema } from './json-schema.ts';
import type { CheckPattern, TimeoutRule } from './parameters/decode-common.ts';
import type { Parameter } from './parameters/parameter.ts';
import type { Parameters } from './parameters/parameters.ts';

/** The description of an endpoint for callers. */
export type EndpointDescription = {
  readonly path: string;
  /** Its name in programs that are generated from the description. */
  readonly operation: string;
  readonly title: string;
  /** The heading under which programs that show the description list it. */
  readonly tag: { readonly name: string; readonly description: string };
  readonly description: string;
  readonly timeout: (settings: ServiceSettings) => TimeoutRule;
  /** Its own parameters, in addition to those that all endpoints have. */
  readonly parameters: (settings: ServiceSettings) => readonly Parameter<unknown>[];
  /** Its own errors, in addition to those that all endpoints have. */
  readonly errors: readonly ErrorKind[];
  /** The schema of its answer by content type. */
  readonly answers: Readonly<Record<string, JsonSchema>>;
  /** Its own answer headers in OpenAPI's form, in addition to those that all answers have. */
  readonly answerHeaders?: Readonly<Record<string, JsonSchema>>;
  /** The schemas that `answers` refers to, by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
};

/** How an endpoint decodes its parameters and what it answers. */
export type AnsweringEndpoint<Options extends { node: NodeChoice }> = Pick<
  EndpointDescription,
  'path' | 'timeout'
> & {
  /** For programs that scrape metrics: only GET and HEAD, and only credentials in the header. */
  readonly isScraped?: true;
  /** Whether it lists the context's slices: they are read together with the caller's identity. */
  readonly listsSlices?: true;
  /** Checks required parameters before values are decoded (decision 3). Error: 400. */
  readonly require?: (parameters: Parameters) => void;
  /**
   * Decodes without any lookup. Patterns are checked by `checkPattern`, in a thread if that takes
   * long. Errors: 400 for each malformed value.
   */
  readonly decode: (
    parameters: Parameters,
    settings: ServiceSettings,
    checkPattern: CheckPattern,
  ) => Options | Promise<Options>;
  /** Errors: 422 for well-formed names that do not exist. */
  readonly answer: (scope: RequestScope, at: ContextView, options: Options) => Promise<Rendered>;
};

/** One of the three legacy endpoints. */
export type Endpoint<Options extends { node: NodeChoice }> = EndpointDescription &
  AnsweringEndpoint<Options>;
