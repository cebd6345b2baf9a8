import type { AlertHistoryQueryVariables } from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import { nodeOf } from '../questions.ts';

/** Events on a page of the history. */
const PAGE_EVENTS = 50;

export const historyVariables = (address: Address): AlertHistoryQueryVariables => ({
  ...nodeOf(address),
  alert: address.alert,
  after: address.after,
  events: PAGE_EVENTS,
});
