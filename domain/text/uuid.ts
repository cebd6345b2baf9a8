/** Whether a text is a UUID as PostgreSQL writes one: in lower case, with hyphens. */
export const isUuid = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
