/** Limits of the audit, each with its reason. */
export const AUDIT_LIMITS = {
  /** How long rows of the audit are kept: a year, and a month to look back at it. */
  auditDays: 400,
  /** A century. */
  auditDaysCeiling: 36_500,
  /** How often failed sign-ins are written, and rows of other processes logged. */
  auditEveryMs: 1_000,
  /** Rows that are read, or logged, at a time. */
  auditRows: 1_000,
  /**
   * Failed sign-ins that are told apart by name and address, in a minute. More are only counted: an
   * attack must not fill the database.
   */
  failedSignIns: 50,
  /** The same for the names that come from one address: it must not take all places. */
  failedSignInsOfAddress: 10,
};
