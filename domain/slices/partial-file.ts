/** What a file is called while it is written; it gets its name when all of it is on the disk. */
export const partialOf = (file: string): string => `${file}.partial`;
