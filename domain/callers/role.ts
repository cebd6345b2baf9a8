/** What a grant lets its user do: readers ask, editors also change texts of keys and tags. */
export const ROLES = ['reader', 'editor'] as const;

export type Role = (typeof ROLES)[number];
