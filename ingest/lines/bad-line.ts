/**
 * The reason why a line of an input cannot be taken. It stops the import, or is counted and named
 * if bad lines are skipped. The message says what is wrong with the line, not where the line is.
 */
export class BadLine extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BadLine';
  }
}
