/**
 * Answers fixed GraphQL documents for one caller. Errors: `GraphFault`, which the caller may see.
 */
export type Graph = {
  ask<Data>(document: string, variables: Readonly<Record<string, unknown>>): Promise<Data>;
};

/** The reason why a document has no answer, with GraphQL's message and code. */
export class GraphFault extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'GraphFault';
    this.code = code;
  }
}

/** An integer of any size: a number, or a string of digits beyond 2^53 - 1. */
export type BigNumber = number | string;

export type Interval = {
  readonly from: number;
  readonly to: number;
};
