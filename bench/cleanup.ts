/** Collects steps that stop or remove something. All run, last first, however the work ends. */
export type Cleanup = { add(step: () => Promise<void> | void): void };

/** Runs `work`, then cleans up. Even Ctrl-C leaves no server and no temporary folder behind. */
export async function withCleanup(work: (cleanup: Cleanup) => Promise<void>): Promise<void> {
  const steps: (() => Promise<void> | void)[] = [];
  let done: Promise<void> | undefined;
  const cleanUp = (): Promise<void> => (done ??= runAll(steps));
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => reject(new Error(`ended by ${signal}`)));
    }
  });
  try {
    await Promise.race([work({ add: (step) => steps.push(step) }), interrupted]);
  } catch (error) {
    console.error(error);
    await cleanUp();
    // Exit explicitly: interrupted work may still be waiting for something.
    process.exit(1);
  }
  await cleanUp();
}

async function runAll(steps: (() => Promise<void> | void)[]): Promise<void> {
  for (let step = steps.pop(); step; step = steps.pop()) {
    try {
      await step();
    } catch (error) {
      console.error('while cleaning up:', error);
    }
  }
}
