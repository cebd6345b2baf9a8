/**
 * Decides when a batch of loads is read. Ordinarily that is as soon as everything that can run
 * without it has run. While an operation gives way to others in the middle of its work, its batches
 * wait for the rest of that work: however large an answer is, it takes the same statements.
 */
export class BatchGate {
  #isClosed = false;
  readonly #held: (() => void)[] = [];

  /** For DataLoader's `batchScheduleFn`. */
  readonly schedule = (dispatch: () => void): void => {
    // Like DataLoader itself: after all promises that are resolved by now.
    void Promise.resolve().then(() =>
      process.nextTick(() => {
        if (this.#isClosed) this.#held.push(dispatch);
        else dispatch();
      }),
    );
  };

  close(): void {
    this.#isClosed = true;
  }

  open(): void {
    this.#isClosed = false;
    for (const dispatch of this.#held.splice(0)) this.schedule(dispatch);
  }
}
