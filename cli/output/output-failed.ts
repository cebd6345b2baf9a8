/** Standard output cannot be written, for example because its disk is full. */
export class OutputFailed extends Error {
  constructor(cause: Error) {
    super(`cannot write to standard output: ${cause.message}`, { cause });
    this.name = 'OutputFailed';
  }
}

/**
 * Calls `listener` when standard output cannot be written, until the returned function is called.
 * `countergraph … | head` closes it, which is not a failure.
 */
export function onOutputFailed(listener: (failed: OutputFailed) => void): () => void {
  const listen = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') listener(new OutputFailed(error));
  };
  process.stdout.on('error', listen);
  return () => process.stdout.off('error', listen);
}
