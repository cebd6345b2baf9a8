/** What a grant allows: readers query, editors also change the texts of keys, and tags. */
export const ROLES = ['reader', 'editor'] as const;

export type Role = (typeof ROLES)[number];

/** Returns the role that allows most; each allows what those before it in `ROLES` do. */
export const highestRole = (roles: readonly Role[]): Role =>
  ROLES.findLast((role) => roles.includes(role)) ?? ROLES[0];
