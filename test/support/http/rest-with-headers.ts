import { CONTEXT, type Credentials, type EndpointName, type TestService } from '../lab/service.ts';
import type { HttpAnswer, HttpCall } from './http-call.ts';
import { type Encoding, encode, type RestParameters } from './rest-parameters.ts';

export type Headers = Readonly<Record<string, string>>;

/** Credentials in headers that no browser adds by itself. */
export const bearer = ({ username, token }: Credentials): Headers => ({
  authorization: `Bearer ${token}`,
  'x-username': username,
});

/** Asks a REST endpoint about the tests' context, with credentials in headers alone. */
export async function askWithHeaders(
  service: TestService,
  endpoint: EndpointName,
  headers: Headers,
  parameters: RestParameters = {},
  { encoding = 'query', ...how }: HttpCall & { readonly encoding?: Encoding } = {},
): Promise<HttpAnswer> {
  const { query, call } = await encode({ context: CONTEXT, ...parameters }, encoding);
  return service.call(service.path(endpoint) + query, {
    ...call,
    ...how,
    headers: { ...call.headers, ...headers },
  });
}
