/*
 * SQL about a row of pg_stat_activity. PostgreSQL shows a role without pg_read_all_stats
 * only whose the sessions of other roles are, in which database, and their snapshot; backend_type
 * is null.
 */

/** Whether it is a session of a user. */
export const isSessionOfUser = (session: string): string =>
  `(${session}.backend_type = 'client backend'
    or ${session}.backend_type is null and ${session}.usesysid is not null)`;

/** Whether it sends the WAL to a standby. */
export const isSenderToStandby = (session: string): string =>
  `(${session}.backend_type = 'walsender' or ${session}.backend_type is null
    and ${session}.usesysid is not null and ${session}.datid is null)`;
