import { randomBytes } from 'node:crypto';
import type { StoredToken } from '../db/sql/tokens.ts';
import { SALT_BYTES, SCRYPT_COST, scryptDigest, tokenDigest } from '../db/token-digest.ts';

/** Returns 256 random bits, in characters that need no escaping in a URL or a header. */
export const randomToken = (): string => randomBytes(32).toString('base64url');

/** Decision 10: a token is stored as its digest only. */
export const keptAsDigest = (token: string): StoredToken => ({
  digest: tokenDigest(token),
  salt: null,
  scryptCost: null,
});

/** A token that a person has chosen may be easy to guess. */
export async function keptUnderScrypt(token: string): Promise<StoredToken> {
  const scrypt = { salt: randomBytes(SALT_BYTES), scryptCost: SCRYPT_COST };
  return { digest: await scryptDigest(tokenDigest(token), scrypt), ...scrypt };
}

export async function isToken(
  { digest, salt, scryptCost }: StoredToken,
  given: string,
): Promise<boolean> {
  const plain = tokenDigest(given);
  if (salt === null || scryptCost === null) return digest.equals(plain);
  return digest.equals(await scryptDigest(plain, { salt, scryptCost }));
}
