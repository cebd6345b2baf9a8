import type { AnswerBudget } from './answer-budget.ts';
import type { AuditedChange } from './audited-change.ts';
import type { Identity } from './callers/identity.ts';
import type { LogInGate } from './callers/log-in-gate.ts';
import type { RequestReads } from './loaders/session/request-reads.ts';
import type { NodeDirectory } from './node-directory.ts';

export type { Rendered } from './loaders/session/request-reads.ts';

/** What the services need of the configuration. */
export type ServiceSettings = {
  /** IANA name (decision 20). */
  readonly timeZone: string;
  /** The topper's system default (timeout −1). */
  readonly queryTimeoutSeconds: number;
  /** Ceiling of maxitems (decision 29). */
  readonly maxTopperItems: number;
  /** Of one list. */
  readonly maxPercentileRanks: number;
};

/** What every service function may use of the request it works for. */
export type RequestScope = {
  readonly settings: ServiceSettings;
  readonly reads: RequestReads;
  readonly directory: NodeDirectory;
  /** What its answer may still hold. */
  readonly budget: AnswerBudget;
  /** The value of an environment variable that a node's url_env names. */
  readonly variable: (name: string) => string | undefined;
  /** Whom to ask before and after somebody says who they are. */
  readonly gate: LogInGate;
  /**
   * Response keys of mutations that were committed, by an earlier attempt at the same request too:
   * when the request begins anew, they are not made again.
   */
  readonly committed: Set<string>;
  /** Told of each change once it is committed, and of each that was refused. */
  readonly onChange: (change: AuditedChange) => void;
  /** null: nobody has said who they are. */
  readonly identity: Identity | null;
};

/** Everything of a request's scope but who asks, which each surface finds out in its own way. */
export type AnonymousScope = Omit<RequestScope, 'identity'>;
