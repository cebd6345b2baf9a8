import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'countergraph', secret: 'a secret of the client' } as const;

export type Account = Readonly<Record<string, unknown>>;

type Options = {
  /** The address of the dashboard. */
  readonly publicUrl: string;
  /** The claims of each person, by `sub`, with which they log in. */
  readonly accounts: Readonly<Record<string, Account>>;
  /** What its address calls this machine. */
  readonly host?: string;
};

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** What an ID token says. */
type Claims = Readonly<Record<string, unknown>>;

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

/** Starts an OpenID Connect provider at a free port of this machine. */
export async function startIdentityProvider({ publicUrl, accounts, host = '127.0.0.1' }: Options) {
  const server = createServer((request, response) => answering(request, response));
  await once(server.listen(0, host), 'listening');
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  let key = newKey();
  const provide = (): Answering =>
    new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [`${publicUrl}/session/oidc/callback`],
          post_logout_redirect_uris: [`${publicUrl}/`],
        },
      ],
      jwks: { keys: [key.jwk] },
      cookies: { keys: ['a key of the cookies'] },
      claims: { openid: ['sub'], profile: ['preferred_username', 'name'], groups: ['groups'] },
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: () => ({ ...accounts[sub], sub }),
      }),
    }).callback();
  let answering = provide();
  return {
    issuer,
    /** Replaces the key that signs ID tokens. */
    rotateKey() {
      key = newKey();
      answering = provide();
    },
    /** Answers whatever is asked itself, until it is called with null. */
    replaceBy(other: Answering | null) {
      answering = other ?? provide();
    },
    /** Answers at the token endpoint with this ID token, and elsewhere as ever. */
    giveOut(idToken: string) {
      const usual = provide();
      answering = (request, response) => {
        if (request.method !== 'POST' || request.url !== '/token') usual(request, response);
        else {
          response.setHeader('content-type', 'application/json');
          const body = { access_token: 'a token', token_type: 'Bearer', id_token: idToken };
          response.end(JSON.stringify(body));
        }
      };
    },
    /** Signs an ID token as the provider does, or says that it has no signature. */
    idToken(claims: Claims, alg: 'RS256' | 'none' = 'RS256', by = key): string {
      const header = alg === 'none' ? { alg } : { alg, kid: key.jwk.kid };
      const text = [header, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      if (alg === 'none') return `${text}.`;
      return `${text}.${sign('sha256', Buffer.from(text), by.privateKey).toString('base64url')}`;
    },
    newKey,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let keys = 0;

function newKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  keys += 1;
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid: `key-${keys}`, use: 'sig' };
  return { privateKey, jwk };
}
