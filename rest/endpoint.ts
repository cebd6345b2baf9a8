import type { ErrorKind } from '../domain/errors.ts';
import type { ContextView } from '../resolvers/contexts.ts';
import type { NodeChoice } from '../resolvers/nodes.ts';
import type { Rendered, RequestScope, ServiceSettings } from '../resolvers/request-scope.ts';
import type { JsonSchema } from './json-schema.ts';
import type { TimeoutRule } from './parameters/decode-common.ts';
import type { Parameter } from './parameters/parameter.ts';
import type { Parameters } from './parameters/parameters.ts';

/** What callers are told of an endpoint. */
export type EndpointDescription = {
  readonly path: string;
  /** Its name in programs that are made from the description. */
  readonly operation: string;
  readonly title: string;
  /** What programs that show the description list it under. */
  readonly tag: { readonly name: string; readonly description: string };
  readonly description: string;
  readonly timeout: (settings: ServiceSettings) => TimeoutRule;
  /** Its own parameters, besides those that all endpoints have. */
  readonly parameters: (settings: ServiceSettings) => readonly Parameter<unknown>[];
  /** Its own errors, besides those that all endpoints have. */
  readonly errors: readonly ErrorKind[];
  /** The answer's schema by content type. */
  readonly answers: Readonly<Record<string, JsonSchema>>;
  /** Headers of its answers as OpenAPI describes them, besides those that all answers have. */
  readonly answerHeaders?: Readonly<Record<string, JsonSchema>>;
  /** The schemas that these refer to, by their names. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
};

/** How the parameters of an endpoint are read and what it answers. */
export type AnsweringEndpoint<Options extends { node: NodeChoice }> = Pick<
  EndpointDescription,
  'path' | 'timeout'
> & {
  /** For programs that scrape metrics: GET and HEAD, and credentials in the header, alone. */
  readonly isScraped?: true;
  /** Whether it lists the context's slices: they are read together with who asks. */
  readonly listsSlices?: true;
  /** What must be there before values are looked at (decision 3). Error: 400. */
  readonly require?: (parameters: Parameters) => void;
  /** Errors: 400 for each value that is malformed. Nothing is looked up. */
  readonly decode: (parameters: Parameters, settings: ServiceSettings) => Options;
  /** Errors: 422 for well-formed names that do not exist. */
  readonly answer: (scope: RequestScope, at: ContextView, options: Options) => Promise<Rendered>;
};

/** One of the three legacy endpoints. */
export type Endpoint<Options extends { node: NodeChoice }> = EndpointDescription &
  AnsweringEndpoint<Options>;
