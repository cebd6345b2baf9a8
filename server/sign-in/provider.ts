import { readFile } from 'node:fs/promises';
import type { ClientAuth, Configuration } from 'openid-client';
import { LIMITS } from '../../domain/limits.ts';
import { printable } from '../../domain/text/printable.ts';
import type { OidcSettings } from '../settings/sign-in-settings.ts';
import { type ProviderPerson, personOf } from './provider-person.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';
import { SignInFault } from './sign-in-fault.ts';

type OpenIdClient = typeof import('openid-client');

/** Loaded at the first sign-in: most servers have no provider. */
const loadClient = (): Promise<OpenIdClient> => import('openid-client');

/**
 * Signs people in at an OpenID Connect provider: by the code flow, with PKCE. Nothing that the
 * provider says about itself is kept: its keys and addresses are those of the moment, and a server
 * starts whether or not the provider answers.
 */
export class Provider {
  readonly #settings: OidcSettings;
  readonly #home: string;
  readonly #callback: string;

  /** callback: where the provider sends the browser back to. */
  constructor(settings: OidcSettings, { home, callback }: { home: string; callback: string }) {
    this.#settings = settings;
    this.#home = home;
    this.#callback = callback;
  }

  /** Returns where the browser goes to sign in. Errors: `SignInFault`. */
  begin({ state, nonce, codeVerifier }: SignInAttempt): Promise<URL> {
    return this.#ask(async (client, config) =>
      client.buildAuthorizationUrl(config, {
        redirect_uri: this.#callback,
        scope: this.#scopes(config.serverMetadata().scopes_supported),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }),
    );
  }

  /** Returns who signed in, by what the provider made the browser send. Errors: `SignInFault`. */
  finish(query: URLSearchParams, attempt: SignInAttempt): Promise<ProviderPerson> {
    return this.#ask(async (client, config) => {
      const tokens = await client.authorizationCodeGrant(
        config,
        new URL(`${this.#callback}?${query}`),
        {
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          pkceCodeVerifier: attempt.codeVerifier,
          idTokenExpected: true,
        },
      );
      const claims = tokens.claims();
      if (!claims) throw new SignInFault('invalid', 'there is no ID token');
      const { userClaim, groupsClaim } = this.#settings;
      const isWhole = claims[userClaim] !== undefined && claims[groupsClaim] !== undefined;
      const more =
        isWhole || config.serverMetadata().userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return personOf({ ...more, ...claims }, this.#settings);
    });
  }

  /** Returns where the browser goes to sign out at the provider, too; null: nowhere. */
  async signOutUrl(): Promise<string | null> {
    try {
      return await this.#ask(async (client, config) =>
        config.serverMetadata().end_session_endpoint === undefined
          ? null
          : client.buildEndSessionUrl(config, { post_logout_redirect_uri: this.#home }).href,
      );
    } catch (error) {
      // The session here is over, which must not wait for the provider.
      if (error instanceof SignInFault) return null;
      throw error;
    }
  }

  /** Providers refuse scopes that they do not know. */
  #scopes(supported: readonly string[] = ['profile']): string {
    const { userClaim, groupsClaim } = this.#settings;
    const wanted = ['profile', userClaim, groupsClaim];
    return ['openid', ...wanted.filter((scope) => supported.includes(scope))].join(' ');
  }

  async #ask<T>(work: (client: OpenIdClient, config: Configuration) => Promise<T>): Promise<T> {
    const client = await loadClient();
    const secret = await this.#secret();
    try {
      return await work(client, await this.#discover(client, secret));
    } catch (error) {
      throw faultOf(client, error);
    }
  }

  #discover(client: OpenIdClient, secret: string | null): Promise<Configuration> {
    const { issuer, clientId } = this.#settings;
    const metadata = { [client.clockTolerance]: LIMITS.clockToleranceSeconds };
    // Without this, an ID token counts unsigned, because it comes from the provider over TLS.
    const execute = [client.enableNonRepudiationChecks];
    // The settings allow this for providers on this machine only.
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    return client.discovery(new URL(issuer), clientId, metadata, authOf(client, secret), {
      execute,
      timeout: LIMITS.providerTimeoutSeconds,
    });
  }

  async #secret(): Promise<string | null> {
    const { clientSecret } = this.#settings;
    if (clientSecret === null) return null;
    if ('text' in clientSecret) return clientSecret.text;
    try {
      return (await readFile(clientSecret.file, 'utf8')).trim();
    } catch (error) {
      throw new SignInFault('secret', `the client's secret cannot be read: ${messageOf(error)}`);
    }
  }
}

/** OpenID Connect: the secret is sent as Basic unless the provider takes it only in the body. */
function authOf(client: OpenIdClient, secret: string | null): ClientAuth {
  if (secret === null) return client.None();
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (provider, ...rest) => {
    const methods = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(provider, ...rest);
  };
}

/** Returns why a sign-in failed, without anything secret; or an error that is a defect. */
function faultOf(client: OpenIdClient, error: unknown): unknown {
  if (error instanceof client.AuthorizationResponseError) {
    const { error: code, error_description: description = '' } = error;
    const why = printable(`${code}: ${description}`.slice(0, LIMITS.nameLength));
    if (code === 'access_denied') return new SignInFault('denied', why);
    return new SignInFault(code === 'temporarily_unavailable' ? 'away' : 'refused', why);
  }
  if (error instanceof client.ResponseBodyError) {
    const why = printable(`${error.error}: ${error.error_description ?? ''}`.slice(0, 200));
    // The code was used before, or is too old.
    return new SignInFault(error.error === 'invalid_grant' ? 'stale' : 'refused', why);
  }
  if (error instanceof client.WWWAuthenticateChallengeError) {
    return new SignInFault('refused', `HTTP ${error.status}`);
  }
  if (error instanceof client.ClientError) {
    const isAway = error.code === 'OAUTH_TIMEOUT' || statusOf(error.cause) >= 500;
    return new SignInFault(isAway ? 'away' : 'invalid', reasonOf(error));
  }
  // What `fetch` throws.
  if (error instanceof TypeError) return new SignInFault('away', reasonOf(error));
  return error;
}

const statusOf = (cause: unknown): number => (cause instanceof Response ? cause.status : 0);

/** The causes of these errors hold claims, so that only their messages are kept. */
function reasonOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
