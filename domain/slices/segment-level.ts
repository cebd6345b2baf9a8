/**
 * How a segment was made. Levels up to 49 count merges: 0 is as imported, 1 and up is merged from
 * segments of the level below. A settled segment is what remains of a generation that is over, a
 * sealed segment what remains of a slice that is over. All below the sealed level are open.
 */
export const IMPORTED_LEVEL = 0;
export const SETTLED_LEVEL = 50;
export const SEALED_LEVEL = 100;

export const isSettled = (level: number): boolean => level >= SETTLED_LEVEL && !isSealed(level);

/** Stands for the slice of a roll-up, which covers several slices. */
export const NO_SLICE = 0;

export const isSealed = (level: number): boolean => level >= SEALED_LEVEL;
