import { createHash, scrypt } from 'node:crypto';

/** Returns the SHA-256 of a token. Nothing else of it is kept, in memory or in the database. */
export const tokenDigest = (token: string): Buffer => createHash('sha256').update(token).digest();

export const SALT_BYTES = 16;

/** The cost of new chosen tokens: some 100 ms and 32 MB for each guess. */
export const SCRYPT_COST = 2 ** 15;

export type ScryptParameters = { readonly salt: Buffer; readonly scryptCost: number };

const BLOCK_SIZE = 8;

/**
 * Returns the form in which a chosen token is stored. Its input is the token's SHA-256, so that code
 * that outlives a request need not keep the token. It runs in a thread of Node's own pool.
 */
export const scryptDigest = (
  digest: Buffer,
  { salt, scryptCost: cost }: ScryptParameters,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { cost, blockSize: BLOCK_SIZE, maxmem: 2 * 128 * cost * BLOCK_SIZE };
    scrypt(digest, salt, digest.length, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
