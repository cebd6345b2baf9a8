/** A document that the server knows by its hash, with the types of its variables and data. */
export type Operation<Data, Variables> = {
  readonly name: string;
  readonly hash: string;
  /** Never set: it only carries the types. */
  readonly types?: (variables: Variables) => Data;
};

export const operation = <Data, Variables>(
  name: string,
  hash: string,
): Operation<Data, Variables> => ({ name, hash });
