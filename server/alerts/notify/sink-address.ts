import querystring from 'node:querystring';
import type { NotifiedSink } from '../../../db/sql/alert-deliveries.ts';
import { SinkFailure } from './sink-failure.ts';

/** Returns the value of an environment variable. */
export type Variable = (name: string) => string | undefined;

export type SinkAddress = {
  /** Without credentials, because `fetch` refuses addresses that contain them. */
  readonly url: URL;
  /** The header that carries the credentials; null: there are none. */
  readonly authorization: string | null;
};

/** Returns the declared address of a sink: the address itself, or the variable that holds it. */
export const declaredAt = ({ url, urlEnv }: Pick<NotifiedSink, 'url' | 'urlEnv'>): string =>
  url ?? `\${${urlEnv}}`;

/** Returns the address of a sink. Reads its variable for each request. Errors: a `SinkFailure`. */
export function addressOf(
  { url, urlEnv }: Pick<NotifiedSink, 'url' | 'urlEnv'>,
  variable: Variable,
): SinkAddress {
  const text = urlEnv === null ? url : read(urlEnv, 'the address of the sink', variable);
  const what = urlEnv === null ? 'the url of the sink' : `the variable ${urlEnv}`;
  const parsed = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new SinkFailure(`${what} must hold an http or https address, and holds something else`);
  }
  return withoutCredentials(parsed);
}

/** Returns a sink's secret; null: none. Errors: a `SinkFailure` if its variable is not set. */
export const secretOf = (
  { secretEnv }: Pick<NotifiedSink, 'secretEnv'>,
  variable: Variable,
): string | null =>
  secretEnv === null ? null : read(secretEnv, 'the secret of the sink', variable);

function read(name: string, what: string, variable: Variable): string {
  const value = variable(name);
  if (value) return value;
  throw new SinkFailure(
    `the variable ${name} must hold ${what}, and is not set: set it where the server is started, ` +
      'and restart the server',
  );
}

function withoutCredentials(address: URL): SinkAddress {
  const { username, password } = address;
  if (username === '' && password === '') return { url: address, authorization: null };
  const url = new URL(address);
  url.username = '';
  url.password = '';
  const credentials = `${querystring.unescape(username)}:${querystring.unescape(password)}`;
  return { url, authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
