/** The formats of files that can be imported. `ingest/formats/flow-formats.ts` has the flow formats. */
export const IMPORT_FORMATS = ['samples', 'zeek', 'nfdump', 'goflow2', 'pmacct'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];
