import { describe, expect, it } from 'vitest';
import { beginAttempt, ownAddress, readAttempt } from '../../../server/sign-in/sign-in-attempt.ts';

const PUBLIC_URL = 'https://counters.example.com/office';

const HOME = `${PUBLIC_URL}/`;

describe('the page to return to', () => {
  it.each([
    ['/office/?context=lab#top', 'https://counters.example.com/office/?context=lab#top'],
    ['graphql', 'https://counters.example.com/office/graphql'],
    ['https://counters.example.com/office/graphql', `${PUBLIC_URL}/graphql`],
    ['/.//elsewhere.example.com/', 'https://counters.example.com//elsewhere.example.com/'],
    ['https://mika:hush@counters.example.com/', 'https://counters.example.com/'],
  ])('may be %s', (page, address) => {
    expect(ownAddress(page, PUBLIC_URL)).toBe(address);
  });

  it.each([
    null,
    'https://elsewhere.example.com/',
    'http://counters.example.com/',
    'https://counters.example.com:8443/',
    'https://counters.example.com.elsewhere.example/',
    '//elsewhere.example.com/',
    '\\\\elsewhere.example.com/',
    '/\\elsewhere.example.com/',
    '/\t/elsewhere.example.com/',
    'javascript:alert(1)',
    'data:text/html,hello',
    'blob:https://counters.example.com/4711',
    'https://[',
    `/${'a'.repeat(2_000)}`,
  ])('is the dashboard in place of %s', (page) => {
    expect(ownAddress(page, PUBLIC_URL)).toBe(HOME);
  });
});

describe('an attempt to sign in', () => {
  const options = { publicUrl: PUBLIC_URL, now: 1_700_000_000.5 };

  it('is what its cookie says, and nobody can tell from the state', () => {
    const { cookie, ...begun } = beginAttempt('/office/graphql', options);
    expect(readAttempt(`a=b; ${cookie.split(';')[0]}; c=d`, options)).toEqual(begun);
    expect(new Set([begun.state, begun.nonce, begun.codeVerifier]).size).toBe(3);
    expect(begun.returnUrl).toBe(`${PUBLIC_URL}/graphql`);
    expect(beginAttempt('/office/graphql', options).state).not.toBe(begun.state);
  });

  it.each(['', 'x', `${'a'.repeat(43)}.1700000000`, `${'a'.repeat(43)}.1700000000.?`])(
    'is none if the cookie holds something else: %s',
    (value) => {
      expect(readAttempt(`__Host-countergraph_sign_in=${value}`, options)).toBe(null);
    },
  );

  it('has another cookie without TLS, which no other host of the site can set with TLS', () => {
    const plain = { ...options, publicUrl: 'http://127.0.0.1:4000' };
    const { cookie } = beginAttempt(null, plain);
    expect(cookie).toMatch(
      /^countergraph_sign_in=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    expect(readAttempt(cookie, plain)).not.toBe(null);
    expect(readAttempt(cookie, options)).toBe(null);
  });
});
