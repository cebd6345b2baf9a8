/** An error in the arguments of a call. The message says what to give instead. */
export class ToolFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolFault';
  }
}
