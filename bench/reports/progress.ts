/** Tells whoever waits what is being done, and since when. */
export function showProgress(message: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(5)} s  ${message}`);
}
