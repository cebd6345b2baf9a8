/** A sink could not be notified. The message is logged, so it contains no address or secret. */
export class SinkFailure extends Error {
  /** The status of the answer; null: there was none. */
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}
