/** The path of GraphQL. */
export const GRAPHQL_PATH = '/graphql';
