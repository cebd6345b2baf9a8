import type { Credentials } from '../../resolvers/callers/identify.ts';

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Headers by their lower-case names; null: not given. */
export type HeaderSource = { get(name: string): string | null };

/**
 * Decision 11: HTTP Basic (`username:api_token`), or a Bearer token with `x-username`. null: none
 * were given. For any other header, returns credentials that nobody has.
 */
export function readCredentials(headers: HeaderSource): Credentials | null {
  const authorization = headers.get('authorization');
  if (authorization === null) return null;
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic': {
      const decoded = toText(Buffer.from(value, 'base64').toString('latin1'));
      const [, username = '', token = ''] = /^([^:]*):(.*)$/s.exec(decoded) ?? [];
      return { username, token };
    }
    case 'bearer':
      return { username: toText(headers.get('x-username') ?? ''), token: value };
    default:
      return { username: '', token: '' };
  }
}

/**
 * Decodes bytes, given as one character each, as Node reads headers. Valid UTF-8 is read as UTF-8,
 * which most clients send; others, such as Python's requests, send Latin-1 (RFC 7617, section 2).
 */
function toText(bytes: string): string {
  try {
    return UTF_8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    // Not UTF-8, so it is Latin-1.
    return bytes;
  }
}
