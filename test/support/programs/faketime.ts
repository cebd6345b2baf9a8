import { existsSync } from 'node:fs';

/** Debian's package faketime, which `.ci/run` installs. */
const LIBRARY = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime`;

/**
 * Returns an environment in which a program's clock is wrong by this much, such as `+400d`. Its
 * timers run as usual.
 */
export function wrongClock(by: string): Readonly<Record<string, string>> {
  const library = `${LIBRARY}/libfaketimeMT.so.1`;
  if (!existsSync(library)) throw new Error(`${library} is missing: apt-get install faketime`);
  return { LD_PRELOAD: library, FAKETIME: by, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
}
