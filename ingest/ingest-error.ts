/** Work that failed for a reason its message explains to the person who asked for it. */
export class IngestError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'IngestError';
  }
}
