/**
 * The statements whose rows are the same as long as the versions of the context are (ADR 7): what
 * they read raises one of these when it changes. All others, and those nobody has thought of, are
 * of their moment: locks that are held, sizes, what the server says of itself. Who asks is read by
 * each request. Only what is listed may be read on a standby in place of the primary (ADR 15).
 */
const VERSIONED: ReadonlySet<string> = new Set([
  'begin',
  'commit',
  'select-catalogs',
  'select-identity',
  'select-labelled-keys',
  'select-manifest',
  'select-pages',
  'select-texts',
  'select-total-windows',
  'select-user-keys',
  'select-versions',
]);

export const isVersioned = (query: string): boolean => VERSIONED.has(query);
