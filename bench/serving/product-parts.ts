import { builtModule, readSettings, silentLog } from '../systems/product.ts';

/** The scope of a request. Opaque here: only passed from one part of the product to another. */
export type AnonymousScope = { readonly reads: { end(): Promise<void> } };
export type Identity = { readonly contexts: ReadonlyMap<string, object> };
export type RequestScope = AnonymousScope & { readonly identity: Identity | null };

export type HeaderSource = { get(name: string): string | null };

type Endpoint = {
  readonly path: string;
  decode(parameters: object, settings: object): { readonly node: object };
  answer(scope: RequestScope, at: object, options: object): Promise<{ readonly body: unknown }>;
};

/**
 * The parts of the product that every server here shares: database, services, schema. The servers
 * differ in what lies between these parts and the caller.
 */
export type ProductParts = {
  readonly settings: object;
  readonly schema: object;
  readonly endpoints: readonly Endpoint[];
  openScope(): AnonymousScope;
  openGraphQLScope(headers: HeaderSource, anonymous: AnonymousScope): Promise<RequestScope>;
  identify(
    scope: AnonymousScope,
    credentials: { readonly username: string; readonly token: string },
    fallbackNodes: readonly [],
  ): Promise<Identity>;
  viewContext(scope: RequestScope, context: object, node: object): object;
  parametersOf(query: URLSearchParams): object;
};

/** A login throttle that never refuses, because limits are not what is compared. */
const OPEN_THROTTLE = {
  check() {},
  proved() {},
  failed: () => new Error('Invalid API token'),
};

type ServiceModule = {
  createService(options: object): {
    arrive(): object;
    openScope(
      seconds: number,
      asked: {
        readonly signal: AbortSignal;
        readonly throttle: object;
        readonly current: object;
        readonly log: object;
      },
      attempt: { readonly arrival: object; readonly mayRetry: boolean },
    ): AnonymousScope;
  };
};

export async function openProductParts(databaseUrl: string): Promise<ProductParts> {
  const settings = await readSettings();
  const [service, scope, identity, contexts, parameters, schema] = await Promise.all([
    builtModule<ServiceModule>('server/service/service.js'),
    builtModule<Pick<ProductParts, 'openGraphQLScope'>>('server/graphql/graphql-scope.js'),
    builtModule<Pick<ProductParts, 'identify'>>('resolvers/callers/identify.js'),
    builtModule<Pick<ProductParts, 'viewContext'>>('resolvers/contexts.js'),
    builtModule<{ fromQuery: ProductParts['parametersOf'] }>('rest/parameters/parameters.js'),
    builtModule<{ schema: object }>('schema/schema.js'),
  ]);
  const rest = await Promise.all([
    builtModule<{ timeSlices: Endpoint }>('rest/endpoints/time-slices.js').then(
      (it) => it.timeSlices,
    ),
    builtModule<{ counterGroupInfo: Endpoint }>('rest/endpoints/counter-group-info.js').then(
      (it) => it.counterGroupInfo,
    ),
    builtModule<{ topper: Endpoint }>('rest/endpoints/topper.js').then((it) => it.topper),
  ]);
  const log = await silentLog();
  const opened = service.createService({ settings, databaseUrl, log });
  const current = { requestId: null, span: null, user: null, operation: null };
  const never = new AbortController().signal;
  return {
    settings,
    schema: schema.schema,
    endpoints: rest,
    openScope: () =>
      opened.openScope(
        60,
        { signal: never, throttle: OPEN_THROTTLE, current, log },
        { arrival: opened.arrive(), mayRetry: true },
      ),
    openGraphQLScope: scope.openGraphQLScope,
    identify: identity.identify,
    viewContext: contexts.viewContext,
    parametersOf: parameters.fromQuery,
  };
}
