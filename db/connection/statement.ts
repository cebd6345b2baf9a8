/**
 * query: the file in db/queries that it is of, by which statements are counted and traced.
 * name: for a statement that is sent often, so that each connection plans it once. Of one name
 * there is only ever one text.
 */
export type Statement = {
  readonly query?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string;
  /** Under which requests that ask at the same time share what it reads; see `SharedReads`. */
  readonly sharedAs?: string;
};
