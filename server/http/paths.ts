/** The path of GraphQL. */
export const GRAPHQL_PATH = '/graphql';

export const MCP_PATH = '/mcp';

/** The path of the sessions of the pages. */
export const SESSION_PATH = '/session';
