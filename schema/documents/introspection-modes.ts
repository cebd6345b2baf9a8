/** Who may ask for the schema: anybody, whoever has signed in, nobody. */
export const INTROSPECTION_MODES = ['on', 'signed-in', 'off'] as const;

export type IntrospectionMode = (typeof INTROSPECTION_MODES)[number];
