import { SETTLED_LEVEL } from './segment-level.ts';

/*
 * Pages of open segments are removed by dropping their table, never by deleting rows. So a table
 * holds pages that die at the same time: the segments of a slice that are imported and merged
 * within two hours are a generation. When the two hours are over, all live segments of the
 * generation are merged into settled segments, which are stored apart, and the table of its pages
 * is dropped. So a slice that is being filled has two or three generations at a time, whatever its
 * length, instead of all of its pages in each level.
 *
 * Two hours of one-minute commits are 120 segments, and merging twelve at a time leaves ten. With
 * settling and sealing, a reading is written four times.
 */

/** Where stored pages are depends on it: it cannot be changed without moving them. */
export const GENERATION_SECONDS = 7200;

/** The generation of all settled segments. */
export const SETTLED_GENERATION = 0;

/** A segment below the sealed level. importedAt: whole epoch seconds. */
type OpenSegment = { readonly level: number; readonly importedAt: number };

/** The generation of an open segment's pages. */
export const generationOf = ({ level, importedAt }: OpenSegment): number =>
  level >= SETTLED_LEVEL ? SETTLED_GENERATION : Math.floor(importedAt / GENERATION_SECONDS);

/** The end, in epoch seconds, of the generation of what was imported at `importedAt`. */
export const generationEnd = (importedAt: number): number =>
  (Math.floor(importedAt / GENERATION_SECONDS) + 1) * GENERATION_SECONDS;
