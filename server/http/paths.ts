/** The path of GraphQL. */
export const GRAPHQL_PATH = '/graphql';

export const MCP_PATH = '/mcp';
