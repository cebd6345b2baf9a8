import type { Claim } from '../loaders/request-reads.ts';

/** Returns a text that is the same for all requests of one user that are identified alike. */
export function claimKey(claim: Claim): string {
  if ('session' in claim) return `session ${claim.session.toString('hex')}`;
  if ('vouched' in claim) return `vouched ${JSON.stringify([claim.vouched, claim.groups])}`;
  return `${claim.digest.toString('hex')} ${claim.username}`;
}
