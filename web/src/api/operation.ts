/** A document that the server knows by its hash, with the types of what goes in and comes out. */
export type Operation<Data, Variables> = {
  readonly name: string;
  readonly hash: string;
  /** Never there: it only carries the types. */
  readonly types?: (variables: Variables) => Data;
};

export const operation = <Data, Variables>(
  name: string,
  hash: string,
): Operation<Data, Variables> => ({ name, hash });
