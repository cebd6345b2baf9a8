import type { AuditedChange } from './audited-change.ts';
import type { Identity } from './callers/identity.ts';
import type { LoginThrottle } from './callers/login-throttle.ts';
import type { TokenProver, TokenUseNotes } from './callers/token-prover.ts';
import type { PageClaim, RequestReads } from './loaders/request-reads.ts';
import type { NodeDirectory } from './node-directory.ts';

export type { Rendered } from './loaders/request-reads.ts';

/** The part of the configuration that the services need. */
export type ServiceSettings = {
  /** IANA name (decision 20). */
  readonly timeZone: string;
  /** The topper's system default (timeout −1). */
  readonly queryTimeoutSeconds: number;
  /** Upper limit of maxitems (decision 29). */
  readonly maxTopperItems: number;
  /** Maximum number of ranks in one list. */
  readonly maxPercentileRanks: number;
};

/**
 * What a browser sends by itself, or a proxy adds. sentBy: a page of this server, another, or one
 * that the browser does not name.
 */
export type PageSession = {
  readonly claim: PageClaim;
  readonly sentBy: 'own page' | 'other page' | 'unknown';
};

/** What service functions may use of the request they serve. */
export type RequestScope = {
  readonly settings: ServiceSettings;
  readonly reads: RequestReads;
  readonly directory: NodeDirectory;
  /**
   * Call now and then with the bytes of an answer that is being rendered. Errors:
   * `AnswerPostponed`.
   */
  readonly onRendered: (bytes: number) => void;
  /** Aborted when the caller has gone or the time limit has passed; its reason says which. */
  readonly signal: AbortSignal;
  /** Call if work was begun that is not needed: it is cancelled when the request is answered. */
  readonly abandon: () => void;
  /** Returns the value of an environment variable that a node's url_env names. */
  readonly variable: (name: string) => string | undefined;
  /** Called before and after a caller authenticates. */
  readonly throttle: LoginThrottle;
  readonly chosenTokens: TokenProver;
  readonly tokenUses: TokenUseNotes;
  /**
   * What committed mutations returned, by their response keys. That includes earlier attempts at
   * the same request: if it retries from the start, these mutations do not run again.
   */
  readonly committed: Map<string, unknown>;
  /** Called with each committed change and each refused one. */
  readonly onChange: (change: AuditedChange) => void;
  /** The address of the caller. */
  readonly from: string;
  /** Who uses the page that sent the request, as its cookie or a proxy says; null: neither does. */
  readonly session: PageSession | null;
  /** null: the caller is not authenticated. */
  readonly identity: Identity | null;
};

/** A request's scope without the identity: each surface authenticates callers in its own way. */
export type AnonymousScope = Omit<RequestScope, 'identity'>;
