import type { NodeDirectory } from '../../resolvers/node-directory.ts';
import type { LogInFailures } from '../admission/log-in-failures.ts';

/** What a serving process shares with the others at the same address. */
export type Siblings = {
  /** Returns the metrics of all processes together. Errors: the parent does not answer. */
  metricsText(): Promise<string>;
  /** Returns a sentence that says how many processes serve; null: all do. */
  missing(): string | null;
  readonly logInFailures: LogInFailures;
  readonly directory: NodeDirectory;
};
