/**
 * How often a segment was merged: 0 as imported, 1 and up merged of segments of the level below.
 * A sealed segment is what is left of a slice that is over.
 */
export const SEALED_LEVEL = 100;

export const isSealed = (level: number): boolean => level >= SEALED_LEVEL;
