/** A sink could not be notified. The message goes to the log, and has no address or secret. */
export class SinkFailure extends Error {}
