/**
 * Milliseconds on a clock that only moves forward, such as `performance.now()`. Waits are measured
 * with it: the wall clock jumps when somebody sets it, NTP corrects it or a virtual machine
 * resumes, and a feed would then wait for hours, or not at all.
 */
export type MonotonicMs = number;

/** A moment on both clocks of a feed. */
export type FeedTime = {
  /** Milliseconds since 1970, to compare with the times of flows. */
  readonly wallMs: number;
  readonly monotonicMs: MonotonicMs;
};
