import { z } from 'zod';
import { canonicalPublicUrl, isPublicUrl, setting } from './setting-rules.ts';

/** An identity provider at which people sign in. */
export type OidcSettings = {
  /** As `URL` writes it. */
  readonly issuer: string;
  readonly clientId: string;
  /** Where the client's secret is; null: the client is a public one, and has none. */
  readonly clientSecret: { readonly text: string } | { readonly file: string } | null;
  /** The claim with the name of a person, which is only shown. */
  readonly userClaim: string;
  readonly groupsClaim: string;
  /** What the button calls the provider. */
  readonly name: string;
};

/** Headers in which a trusted proxy names who signed in there. In lower case, as Node has them. */
export type ProxySignIn = { readonly userHeader: string; readonly groupsHeader: string | null };

export type SignInSettings = {
  /** The address of the pages in a browser, without a slash at its end; null: not configured. */
  publicUrl: string | null;
  oidc: OidcSettings | null;
  proxySignIn: ProxySignIn | null;
};

const isIssuer = (text: string): boolean => isPublicUrl(text) && !isSentInClear(new URL(text));

/** On this machine, plain HTTP shows nobody the client's secret. */
const isSentInClear = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname);

const text = { must: 'a text', schema: z.string().trim().min(1) };

const headerName = {
  must: 'the name of a header such as X-Forwarded-User',
  schema: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/)
    // These have a meaning of their own.
    .refine((name) => !['authorization', 'cookie', 'host', 'origin'].includes(name.toLowerCase()))
    .transform((name) => name.toLowerCase()),
};

export const SIGN_IN_VARIABLES = {
  COUNTERGRAPH_PUBLIC_URL: setting<string, null>({
    fallback: null,
    must: 'the address of the dashboard in a browser such as https://counters.example.com',
    schema: z.string().refine(isPublicUrl).transform(canonicalPublicUrl),
  }),
  COUNTERGRAPH_OIDC_ISSUER: setting<string, null>({
    fallback: null,
    must: 'the address of an OpenID Connect provider, with https',
    schema: z
      .string()
      .refine(isIssuer)
      .transform((issuer) => new URL(issuer).href),
  }),
  COUNTERGRAPH_OIDC_CLIENT_ID: setting<string, null>({ fallback: null, ...text }),
  COUNTERGRAPH_OIDC_CLIENT_SECRET: setting<string, null>({
    fallback: null,
    ...text,
    explain: () => ({ got: 'blanks', remedy: 'correct it' }),
  }),
  COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE: setting<string, null>({
    fallback: null,
    must: 'a path',
    schema: z.string().refine((path) => !path.includes('\0')),
  }),
  COUNTERGRAPH_OIDC_USER_CLAIM: setting({ fallback: 'preferred_username', ...text }),
  COUNTERGRAPH_OIDC_GROUPS_CLAIM: setting({ fallback: 'groups', ...text }),
  COUNTERGRAPH_OIDC_NAME: setting<string, null>({ fallback: null, ...text }),
  COUNTERGRAPH_USER_HEADER: setting<string, null>({ fallback: null, ...headerName }),
  COUNTERGRAPH_GROUPS_HEADER: setting<string, null>({ fallback: null, ...headerName }),
};

type Read = { [Name in keyof typeof SIGN_IN_VARIABLES]: z.infer<(typeof SIGN_IN_VARIABLES)[Name]> };

/** Gathers what belongs together. `signInMistakes` has found nothing wrong. */
export function signInSettings(read: Read): SignInSettings {
  const { COUNTERGRAPH_OIDC_ISSUER: issuer, COUNTERGRAPH_OIDC_CLIENT_ID: clientId } = read;
  const userHeader = read.COUNTERGRAPH_USER_HEADER;
  const oidc = issuer !== null &&
    clientId !== null && {
      issuer,
      clientId,
      clientSecret: secretOf(read),
      userClaim: read.COUNTERGRAPH_OIDC_USER_CLAIM,
      groupsClaim: read.COUNTERGRAPH_OIDC_GROUPS_CLAIM,
      name: read.COUNTERGRAPH_OIDC_NAME ?? new URL(issuer).hostname,
    };
  return {
    publicUrl: read.COUNTERGRAPH_PUBLIC_URL,
    oidc: oidc || null,
    proxySignIn:
      userHeader === null ? null : { userHeader, groupsHeader: read.COUNTERGRAPH_GROUPS_HEADER },
  };
}

function secretOf(read: Read): OidcSettings['clientSecret'] {
  const { COUNTERGRAPH_OIDC_CLIENT_SECRET: secret } = read;
  const { COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE: file } = read;
  if (file !== null) return { file };
  return secret === null ? null : { text: secret };
}

/** What a variable needs, and what for. */
const NEEDS = [
  ['COUNTERGRAPH_OIDC_ISSUER', 'COUNTERGRAPH_OIDC_CLIENT_ID', 'the provider gave you one'],
  ['COUNTERGRAPH_OIDC_ISSUER', 'COUNTERGRAPH_PUBLIC_URL', 'the provider sends browsers back there'],
  ['COUNTERGRAPH_OIDC_CLIENT_ID', 'COUNTERGRAPH_OIDC_ISSUER', 'it names the provider'],
  ['COUNTERGRAPH_USER_HEADER', 'COUNTERGRAPH_TRUST_PROXY', 'only there does the header count'],
  ['COUNTERGRAPH_GROUPS_HEADER', 'COUNTERGRAPH_USER_HEADER', 'it names the user'],
] as const;

/** Checks the rules between these variables. */
export function signInMistakes(env: NodeJS.ProcessEnv): string[] {
  const missing = NEEDS.flatMap(([name, needed, why]) =>
    env[name] && !env[needed] ? [`${name} needs ${needed} (${why}): set it, or unset ${name}`] : [],
  );
  const isTwice =
    env['COUNTERGRAPH_OIDC_CLIENT_SECRET'] && env['COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE'];
  const twice =
    'COUNTERGRAPH_OIDC_CLIENT_SECRET and COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE must not both be ' +
    'set: unset one of the two';
  return isTwice ? [...missing, twice] : missing;
}
