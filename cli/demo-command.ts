import { invocation, isCheckout } from '../db/command-form.ts';

/** Returns the command that creates the demo in a database already in use. */
export const demoCommand = (): string =>
  `COUNTERGRAPH_DEMO=on ${isCheckout() ? 'npm start' : `${invocation()} serve`}`;
