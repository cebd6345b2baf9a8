/**
 * How a segment came to be. Up to 49, how often it was merged: 0 as imported, 1 and up of segments
 * of the level below. A settled segment is what is left of a generation that is over, a sealed one
 * what is left of a slice that is over; all below the sealed level are open.
 */
export const SETTLED_LEVEL = 50;
export const SEALED_LEVEL = 100;

export const isSettled = (level: number): boolean => level >= SETTLED_LEVEL && !isSealed(level);

/** In place of a slice: roll-ups are of several. */
export const NO_SLICE = 0;

export const isSealed = (level: number): boolean => level >= SEALED_LEVEL;
