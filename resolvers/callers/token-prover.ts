import type { TokenClaim } from '../loaders/request-reads.ts';

/** A chosen token as it is stored, under scrypt. */
export type ChosenToken = {
  readonly digest: Buffer;
  readonly salt: Buffer;
  readonly scryptCost: number;
};

/** A token as it is stored; digest null: the user has none; salt null: a random one. */
type StoredParts = {
  readonly digest: Buffer | null;
  readonly salt: Buffer | null;
  readonly scryptCost: number | null;
};

/** Returns the stored token if it is a chosen one. */
export function chosenOf({ digest, salt, scryptCost }: StoredParts): ChosenToken | null {
  return digest && salt && scryptCost !== null ? { digest, salt, scryptCost } : null;
}

export type Proving = {
  /** Whose turn it is: the network that the request comes from. */
  readonly caller: string;
  /** Called before the work waits for its turn. */
  readonly release: () => Promise<void>;
  /** Called when the work may start. Errors: the caller has failed too often meanwhile. */
  readonly check: () => unknown;
  /** Aborted when the caller has gone or the time limit has passed. */
  readonly signal: AbortSignal;
};

/** Proves chosen tokens, which is slow on purpose, and knows those that were right before. */
export type TokenProver = {
  /** Returns the stored form of a token that was right before; null: it is not known. */
  storedAs(claim: TokenClaim): Buffer | null;
  /** Returns whether the claim's token is the stored one. Errors: `busy`, that of `check`. */
  isRight(claim: TokenClaim, stored: ChosenToken, proving: Proving): Promise<boolean>;
  /** Takes as long as `isRight` does with a wrong token. Errors: the same. */
  pretend(claim: TokenClaim, proving: Proving): Promise<void>;
};

/** Notes when tokens are used. */
export type TokenUseNotes = {
  /** Called with a user and their token, as it is stored, whenever it identifies a caller. */
  note(username: string, tokenDigest: Buffer): void;
};
