/** Bytes of a megabyte as people read it, in messages and progress bars. */
export const MEGABYTE = 1_000_000;

/** Bytes of a megabyte as memory is measured, in the settings `…_MB` and in limits. */
export const MEBIBYTE = 1024 ** 2;
