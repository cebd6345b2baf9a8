/**
 * Returns the message of whatever was thrown. Some errors have none of their own, for example when
 * no address of a host answers: theirs are the messages of the errors inside them, or their name.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '' && error.errors.length > 0) {
    return error.errors.map(reasonOf).join(', ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
