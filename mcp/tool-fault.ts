/** What is wrong with the arguments of a call: it says what to give instead. */
export class ToolFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolFault';
  }
}
