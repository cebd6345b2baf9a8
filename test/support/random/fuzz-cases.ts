/**
 * How many cases a costly random property is tried with. Few by default, so that `npm test` is
 * quick: each run draws others. `.ci/run` tries more.
 */
export const FUZZ_CASES = Number(process.env['FUZZ_CASES'] ?? 50);
