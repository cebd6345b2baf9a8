/**
 * The statements whose rows stay the same as long as the versions of the context do (ADR 7): any
 * change of the data they read raises one of these versions. The rows of all other statements,
 * including any not considered here, are valid only for their moment: locks that are held, sizes,
 * what the server reports about itself. Each request reads the caller's identity itself. Only
 * listed statements may run on a standby in place of the primary (ADR 15).
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
