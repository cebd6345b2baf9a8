/** The path of GraphQL. */
export const GRAPHQL_PATH = '/graphql';

export const MCP_PATH = '/mcp';

/** The path of the sessions of the pages. */
export const SESSION_PATH = '/session';

/** The path at which people sign in at an identity provider, and the one that it sends them to. */
export const PROVIDER_PATH = `${SESSION_PATH}/oidc`;
export const PROVIDER_CALLBACK_PATH = `${PROVIDER_PATH}/callback`;
