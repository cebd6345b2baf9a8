/**
 * Why a line of an input cannot be taken: it stops the import, or is counted and named where bad
 * lines are skipped. The message says what is wrong with the line, not where it stands.
 */
export class BadLine extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BadLine';
  }
}
