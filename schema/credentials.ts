import type { Credentials } from '../resolvers/identity.ts';

/** Headers by their lower-case names; null: not given. */
export type HeaderSource = { get(name: string): string | null };

/**
 * Decision 11: HTTP Basic (`username:api_token`), or a Bearer token with `x-username`. null: none
 * were given. A header that holds no credentials at all gives such as nobody has.
 */
export function readCredentials(headers: HeaderSource): Credentials | null {
  const authorization = headers.get('authorization');
  if (authorization === null) return null;
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic': {
      const [, username = '', token = ''] =
        /^([^:]*):(.*)$/s.exec(Buffer.from(value, 'base64').toString()) ?? [];
      return { username, token };
    }
    case 'bearer':
      return { username: toText(headers.get('x-username') ?? ''), token: value };
    default:
      return { username: '', token: '' };
  }
}

/** Node reads headers as Latin-1. What is UTF-8 is meant as UTF-8, as most clients send it. */
function toText(header: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(header, 'latin1'));
  } catch {
    // Not UTF-8, so Latin-1 it is.
    return header;
  }
}
