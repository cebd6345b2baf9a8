/** Prints the current step, after the seconds since the start. */
export function showProgress(message: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${message}`);
}
