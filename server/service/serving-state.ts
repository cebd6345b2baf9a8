/** Whether the server is closing. The code that closes it sets this first. */
export class ServingState {
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Makes /readyz say that requests should go elsewhere; those that arrive are still answered. */
  beginToClose(): void {
    this.#isClosing = true;
  }
}
