/** What `isDatabaseUrl` requires, as error messages say it. */
export const DATABASE_URL_FORM = 'an address such as postgres://user:password@host:5432/database';

/** Whether `given` can be the address of a PostgreSQL database. */
export const isDatabaseUrl = (given: unknown): given is string =>
  typeof given === 'string' && URL.canParse(given) && /^\s*postgres(ql)?:/i.test(given);
