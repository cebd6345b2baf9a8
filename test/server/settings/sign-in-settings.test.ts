import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../../server/settings/settings.ts';

const linesOf = (env: NodeJS.ProcessEnv): readonly string[] => {
  try {
    readSettings(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
};

const PROVIDER = {
  COUNTERGRAPH_PUBLIC_URL: 'https://counters.example.com',
  COUNTERGRAPH_OIDC_ISSUER: 'https://id.example.com',
  COUNTERGRAPH_OIDC_CLIENT_ID: 'countergraph',
};

describe('the settings of an identity provider', () => {
  it('have defaults for all but three', () => {
    expect(readSettings(PROVIDER).oidc).toEqual({
      issuer: 'https://id.example.com/',
      clientId: 'countergraph',
      clientSecret: null,
      userClaim: 'preferred_username',
      groupsClaim: 'groups',
      name: 'id.example.com',
    });
  });

  it('take the secret from a file or as text, but not both', () => {
    const text = { COUNTERGRAPH_OIDC_CLIENT_SECRET: 'hush' };
    const file = { COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE: '/run/secrets/oidc' };
    const secretOf = (env: NodeJS.ProcessEnv) =>
      readSettings({ ...PROVIDER, ...env }).oidc?.clientSecret;
    expect(secretOf(text)).toEqual({ text: 'hush' });
    expect(secretOf(file)).toEqual({ file: '/run/secrets/oidc' });
    expect(linesOf({ ...PROVIDER, ...text, ...file })).toEqual([
      'COUNTERGRAPH_OIDC_CLIENT_SECRET and COUNTERGRAPH_OIDC_CLIENT_SECRET_FILE must not both be ' +
        'set: unset one of the two',
    ]);
  });

  it.each(['COUNTERGRAPH_PUBLIC_URL', 'COUNTERGRAPH_OIDC_CLIENT_ID'])('need %s', (name) => {
    expect(linesOf({ ...PROVIDER, [name]: '' })).toEqual([
      expect.stringContaining(`COUNTERGRAPH_OIDC_ISSUER needs ${name}`),
    ]);
  });

  it.each([
    ['http://id.example.com', 1],
    ['id.example.com', 1],
    ['https://id.example.com/realms/office', 0],
    ['http://127.0.0.1:8080/realms/office', 0],
    ['http://localhost:8080', 0],
  ])('take an issuer without TLS on this machine only: %s', (issuer, mistakes) => {
    expect(linesOf({ ...PROVIDER, COUNTERGRAPH_OIDC_ISSUER: issuer }).length).toBe(mistakes);
  });
});

describe('the headers of a proxy that signs people in', () => {
  it('are lower case, as Node names them', () => {
    const env = {
      COUNTERGRAPH_TRUST_PROXY: '::1',
      COUNTERGRAPH_USER_HEADER: 'X-Forwarded-User',
      COUNTERGRAPH_GROUPS_HEADER: 'X-Forwarded-Groups',
    };
    expect(readSettings(env).proxySignIn).toEqual({
      userHeader: 'x-forwarded-user',
      groupsHeader: 'x-forwarded-groups',
    });
  });

  it('need a proxy that is trusted, and the groups a user', () => {
    const both = { COUNTERGRAPH_USER_HEADER: 'x-user', COUNTERGRAPH_GROUPS_HEADER: 'x-groups' };
    expect(linesOf(both)).toEqual([
      expect.stringContaining('COUNTERGRAPH_USER_HEADER needs COUNTERGRAPH_TRUST_PROXY'),
    ]);
    expect(linesOf({ COUNTERGRAPH_GROUPS_HEADER: 'x-groups' })).toEqual([
      expect.stringContaining('COUNTERGRAPH_GROUPS_HEADER needs COUNTERGRAPH_USER_HEADER'),
    ]);
  });

  it.each(['Authorization', 'cookie', 'x user', 'x_user'])('cannot be called %s', (name) => {
    const env = { COUNTERGRAPH_TRUST_PROXY: '::1', COUNTERGRAPH_USER_HEADER: name };
    expect(linesOf(env)).toEqual([expect.stringContaining('must be the name of a header')]);
  });
});
