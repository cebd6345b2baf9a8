import { timingSafeEqual } from 'node:crypto';
import type { Claim, IdentityRow, RequestReads } from '../loaders/request-reads.ts';
import type { LoginNode, LoginThrottle } from './login-throttle.ts';
import { chosenOf, type TokenProver } from './token-prover.ts';

type ProofSources = {
  readonly reads: RequestReads;
  readonly throttle: LoginThrottle;
  readonly chosenTokens: TokenProver;
  readonly signal: AbortSignal;
};

type ProofOptions = {
  readonly nodeUrl: string;
  readonly deadline: Parameters<RequestReads['identity']>[2];
  /** How failed log-ins are counted; null: they are not. */
  readonly at: LoginNode | null;
};

/**
 * Reads a user and their grants from a node; null if there is no such user, the token is wrong, or
 * the session has ended. What is granted is read along with the token, for what the given one is
 * expected to be stored as, and read again only if that was something else: at the first use of a
 * chosen token.
 */
export async function provedRow(
  { reads, throttle, chosenTokens, signal }: ProofSources,
  claim: Claim,
  { nodeUrl, deadline, at }: ProofOptions,
): Promise<IdentityRow | null> {
  // A session is 256 random bits: there is nothing to guess, or to compare in constant time.
  if (!('digest' in claim)) return reads.identity(nodeUrl, claim, deadline);
  const proving = {
    caller: throttle.caller,
    signal,
    // Nobody waits for a connection of this request while it waits for its turn.
    release: () => reads.release(nodeUrl),
    check: () => at && throttle.check(claim.username, at),
  };
  const read = (digest: Buffer) => reads.identity(nodeUrl, { ...claim, digest }, deadline);
  let asked = chosenTokens.storedAs(claim) ?? claim.digest;
  let row = await read(asked);
  if (asked !== claim.digest && row?.digest?.equals(asked) !== true) {
    // A chosen token that was right once is one no longer.
    asked = claim.digest;
    row = await read(asked);
  }
  const chosen = row && chosenOf(row);
  let proof: Buffer | null = null;
  if (chosen) {
    if (await chosenTokens.isRight(claim, chosen, proving)) proof = chosen.digest;
  } else if (isSame(row, claim.digest)) proof = claim.digest;
  else await chosenTokens.pretend(claim, proving);
  if (proof === null || proof.equals(asked)) return proof && row;
  const granted = await read(proof);
  return isSame(granted, proof) ? granted : null;
}

/** Whether a user has a token that is stored as this. */
function isSame(row: IdentityRow | null, digest: Buffer): boolean {
  // For an unknown user it is compared with zeros, so that both cases take the same time.
  const matches = timingSafeEqual(digest, row?.digest ?? Buffer.alloc(digest.length));
  return matches && row !== null && row.digest !== null;
}
