import { SETTLED_LEVEL } from './segment-level.ts';

/*
 * Pages of open segments are dropped, never deleted from, so they lie together with those that die
 * at the same time. Of a slice, the segments that are imported and merged within two hours are a
 * generation. When these are over, all that lives of it is merged into settled segments, which lie
 * apart, and the table of the generation's pages is dropped. So a slice that is being filled has
 * two or three generations at a time, whatever its length, and not all of its pages in each level.
 *
 * Two hours of one-minute commits are 120, which twelve at a time become ten segments: with
 * settling and sealing a reading is written four times.
 */

/** The places of pages that are stored depend on it: it cannot be changed without moving them. */
export const GENERATION_SECONDS = 7200;

/** Where settled segments are. */
export const SETTLED_GENERATION = 0;

/** A segment below the sealed level. importedAt: whole epoch seconds. */
type OpenSegment = { readonly level: number; readonly importedAt: number };

/** The generation of an open segment's pages. */
export const generationOf = ({ level, importedAt }: OpenSegment): number =>
  level >= SETTLED_LEVEL ? SETTLED_GENERATION : Math.floor(importedAt / GENERATION_SECONDS);

/** When the generation of what was imported then is over, epoch seconds. */
export const generationEnd = (importedAt: number): number =>
  (Math.floor(importedAt / GENERATION_SECONDS) + 1) * GENERATION_SECONDS;
