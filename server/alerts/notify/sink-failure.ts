/** A sink could not be notified. The message is logged, so it contains no address or secret. */
export class SinkFailure extends Error {}
