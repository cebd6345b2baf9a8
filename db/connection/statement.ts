/**
 * query: the name under which the statement is counted and traced. name: for a statement that is
 * sent often, so that each connection plans it once. A name always has the same text.
 */
export type Statement = {
  readonly query?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  /** The name under which concurrent requests share the result; see `SharedReads`. */
  readonly sharedAs?: string;
};
