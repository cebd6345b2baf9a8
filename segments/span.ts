/** The first and last bucket in which a segment has readings: their starts in epoch seconds. */
export type BucketSpan = { readonly first: number; readonly last: number };
