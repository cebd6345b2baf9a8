/** Who may request the schema: everybody, signed-in callers, nobody. */
export const INTROSPECTION_MODES = ['on', 'signed-in', 'off'] as const;

export type IntrospectionMode = (typeof INTROSPECTION_MODES)[number];
