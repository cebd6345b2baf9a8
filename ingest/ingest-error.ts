/** Work failed for a reason that the message explains to the person who asked for it. */
export class IngestError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'IngestError';
  }
}
