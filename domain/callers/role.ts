/** What a grant allows: readers query, editors also change the texts of keys, and tags. */
export const ROLES = ['reader', 'editor'] as const;

export type Role = (typeof ROLES)[number];
