import config from './vitest.config.ts';

/** The tests with programs that are not part of the project, which `.ci/run` installs. */
export default {
  ...config,
  test: {
    ...config.test,
    include: ['test/**/*.external.test.ts'],
    exclude: [],
  },
};
