/** Whether the server goes on serving: what begins to close it says so here, first of all. */
export class ServingState {
  #isClosing = false;

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** From now on /readyz says that requests should go elsewhere; those that come are answered. */
  beginToClose(): void {
    this.#isClosing = true;
  }
}
