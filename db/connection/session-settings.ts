/**
 * Settings of writers, whatever the administrator has set for the role or the database. An import
 * reads its input between statements, and may wait long for another import.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['statement_timeout', '0'],
  ['lock_timeout', '0'],
  ['idle_in_transaction_session_timeout', '0'],
  ['idle_session_timeout', '0'],
  // In parameters that are arrays, NULL means null, and numbers in results have all their digits.
  ['array_nulls', 'on'],
  ['extra_float_digits', '1'],
];

/** SQL: applies the settings of writers until the end of the session or of the transaction. */
export const applySettings = (until: 'session' | 'transaction'): string =>
  SETTINGS.map(([name, value]) =>
    until === 'session' ? `set ${name} = ${value}` : `set local ${name} = ${value}`,
  ).join('; ');
