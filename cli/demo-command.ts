import { commandForm, isCheckout } from '../db/command-form.ts';

/** What makes the demo in a database that is in use. */
export const demoCommand = (): string =>
  `COUNTERGRAPH_DEMO=on ${isCheckout() ? 'npm start' : `${commandForm()} serve`}`;
