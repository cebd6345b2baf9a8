import { ServiceError, serviceError } from '../domain/errors.ts';
import { type Credentials, identify } from '../resolvers/callers/identify.ts';
import type { GrantedContext, Identity } from '../resolvers/callers/identity.ts';
import { type ContextView, viewContext } from '../resolvers/contexts.ts';
import { chooseNode, type NodeChoice, type NodeRow } from '../resolvers/nodes.ts';
import type { AnonymousScope, Rendered, RequestScope } from '../resolvers/request-scope.ts';
import type { AnsweringEndpoint } from './endpoint.ts';
import {
  API_TOKEN,
  CONTEXT,
  decodeCommon,
  readTimeout,
  USERNAME,
} from './parameters/decode-common.ts';
import type { Parameter } from './parameters/parameter.ts';
import type { Parameters } from './parameters/parameters.ts';

/**
 * Returns the seconds that the request may take; null waits without limit. The
 * error of a malformed `timeout` comes later.
 */
export function timeoutOf<Options extends { node: NodeChoice }>(
  endpoint: AnsweringEndpoint<Options>,
  parameters: Parameters,
  settings: RequestScope['settings'],
): number | null {
  const rule = endpoint.timeout(settings);
  try {
    return readTimeout(rule, parameters);
  } catch (error) {
    // Decision 3: a caller without access is told that first, within the default time limit.
    if (error instanceof ServiceError) return rule.absent;
    throw error;
  }
}

/** The parameters and the credentials of a request. */
export type RestCall = {
  readonly parameters: Parameters;
  /** Credentials of the `Authorization` header; null: it has none. Error: `otherSite`. */
  readonly headerCredentials: () => Credentials | null;
};

/** Returns the endpoint's answer, or throws the first error in the order of decision 3. */
export async function answerRequest<Options extends { node: NodeChoice }>(
  endpoint: AnsweringEndpoint<Options>,
  call: RestCall,
  anonymous: AnonymousScope,
): Promise<Rendered> {
  const { parameters } = call;
  const identity = await authenticate(endpoint, call, anonymous);
  const context = await grantedContext(parameters, identity, anonymous);
  endpoint.require?.(parameters);
  readTimeout(endpoint.timeout(anonymous.settings), parameters);
  const { reads } = anonymous;
  const { checkPattern } = reads.at(reads.primaryUrl);
  const options = await endpoint.decode(parameters, anonymous.settings, checkPattern);
  const scope: RequestScope = { ...anonymous, identity };
  const at: ContextView = viewContext(scope, context, options.node);
  // From here on, the answer depends on the context but not on the user.
  const name = `${endpoint.path} ${JSON.stringify([context, options])}`;
  return scope.reads.remembered(name, () => endpoint.answer(scope, at, options));
}

/** Authenticates the caller by the credentials that came before the body, if there are any. */
export async function checkCredentials(
  endpoint: Pick<AnsweringEndpoint<never>, 'listsSlices' | 'isScraped'>,
  call: RestCall,
  anonymous: AnonymousScope,
): Promise<void> {
  if (credentialsOf(call)) await authenticate(endpoint, call, anonymous);
}

async function authenticate(
  { listsSlices, isScraped }: Pick<AnsweringEndpoint<never>, 'listsSlices' | 'isScraped'>,
  call: RestCall,
  anonymous: AnonymousScope,
): Promise<Identity> {
  const { parameters } = call;
  const credentials = isScraped ? call.headerCredentials() : credentialsOf(call);
  if (!credentials) throw serviceError('invalidToken');
  const standIn = chosenNode(parameters, anonymous.directory);
  return identify(
    anonymous,
    { ...credentials, slicesOf: listsSlices ? credential(parameters, CONTEXT) : null },
    standIn ? [standIn] : [],
  );
}

/**
 * Decisions, section 11: if either of the two parameters is given, only the parameters count;
 * otherwise the header does. null: there are no credentials, or only half of them.
 */
function credentialsOf({ parameters, headerCredentials }: RestCall): Credentials | null {
  if (!parameters.isGiven(USERNAME.name) && !parameters.isGiven(API_TOKEN.name)) {
    return headerCredentials();
  }
  const username = credential(parameters, USERNAME);
  const token = credential(parameters, API_TOKEN);
  return username && token ? { username, token } : null;
}

/** Any fault of a credential gives the same error, which comes first (decision 3). */
const credential = (parameters: Parameters, { read }: Parameter<string | null>): string | null =>
  orNull(() => read(parameters));

/** Decision 13: the node that identifies callers while the primary is unreachable. */
function chosenNode(parameters: Parameters, directory: RequestScope['directory']): NodeRow | null {
  return orNull(() => {
    const name = CONTEXT.read(parameters) ?? '';
    return chooseNode({ name, nodes: directory.nodesOf(name) }, decodeCommon(parameters).node);
  });
}

/** Returns null if the value is invalid; its error comes later, in its turn. */
function orNull<T>(get: () => T | null): T | null {
  try {
    return get();
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

async function grantedContext(
  parameters: Parameters,
  identity: Identity,
  { reads }: AnonymousScope,
): Promise<GrantedContext> {
  const name = CONTEXT.read(parameters);
  if (name === null) throw serviceError('contextRequired');
  const granted = identity.contexts.get(name);
  if (granted) return granted;
  if (!(await reads.contextExists(identity.nodeUrl, name))) {
    throw serviceError('invalidContext', { context: name });
  }
  throw serviceError('notAllowed', { username: identity.username, context: name });
}
