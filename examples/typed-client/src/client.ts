import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';

export type Credentials = { readonly username: string; readonly token: string };

type Answer<Data> = {
  readonly data?: Data;
  readonly errors?: readonly { readonly message: string }[];
};

/**
 * Runs one query. url: the server's address, with the path below which a proxy serves it. Errors:
 * the server cannot be reached, or it answers with errors.
 */
export async function ask<Data, Variables>(
  url: string,
  { username, token }: Credentials,
  document: TypedDocumentNode<Data, Variables>,
  variables: NoInfer<Variables>,
): Promise<Data> {
  const asked = fetch(new URL('graphql', url.endsWith('/') ? url : `${url}/`), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'x-username': username,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const response = await asked.catch((cause: unknown) => {
    throw new Error(`${url} cannot be reached: is the server running?`, { cause });
  });
  // Refused requests are answered with JSON errors too. The data have the shape of the schema.
  const { data, errors } = (await response.json()) as Answer<Data>;
  if (errors || !data) throw new Error(errors?.map(({ message }) => message).join('; '));
  return data;
}
