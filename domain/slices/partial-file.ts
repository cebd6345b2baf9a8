/** The name of a file while it is written. It is renamed when all of it is on disk. */
export const partialOf = (file: string): string => `${file}.partial`;
