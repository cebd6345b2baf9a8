import { API_TOKEN, USERNAME } from '../parameters/decode-common.ts';

/** The ways to authenticate (decision 11, and the specification's own parameters). */
export const SECURITY_SCHEMES = {
  Basic: {
    type: 'http',
    scheme: 'basic',
    description: 'The username, and the API token as the password.',
  },
  Bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API token; `x-username` says whose it is.',
  },
  BearerUsername: {
    type: 'apiKey',
    in: 'header',
    name: 'x-username',
    description: 'The user whose token is sent as Bearer.',
  },
  Token: {
    type: 'apiKey',
    in: 'query',
    name: API_TOKEN.name,
    description:
      'The API token; in a POST also in the body. Logs may show an address: send a header.',
  },
  TokenUsername: {
    type: 'apiKey',
    in: 'query',
    name: USERNAME.name,
    description: 'The user whose token is `api_token`; in a POST also in the body.',
  },
} as const;

/** Any one of these entries suffices; the schemes of one entry are sent together. */
export const SECURITY: readonly Partial<Record<keyof typeof SECURITY_SCHEMES, readonly []>>[] = [
  { Basic: [] },
  { Bearer: [], BearerUsername: [] },
  { Token: [], TokenUsername: [] },
];
