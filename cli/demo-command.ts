import { isCheckout } from '../db/project-root.ts';
import { invocation } from './invocation.ts';

/** Returns the command that creates the demo in a database already in use. */
export const demoCommand = (): string =>
  `COUNTERGRAPH_DEMO=on ${isCheckout() ? 'npm start' : `${invocation()} serve`}`;
