import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { renderError } from '../../schema/documents/render-error.ts';
import type { RequestedSubscription } from '../../schema/documents/requested-subscription.ts';
import { bodyOf } from '../graphql/render-result.ts';
import { eventOf, type LiveEvent } from './streams/event-stream.ts';

/** For a subscriber who may no longer read the context: the same as if it did not exist. */
export const nullEvent = ({ responseKey }: RequestedSubscription): LiveEvent =>
  eventOf(bodyOf({ data: nullData(responseKey), errors: [] }));

/** Returns the data of an answer whose only field is null. */
export const nullData = (responseKey: string): string => JSON.stringify({ [responseKey]: null });

/** For a subscriber whose stream cannot continue. */
export const errorEvent = (error: ServiceError): LiveEvent =>
  eventOf(bodyOf({ data: null, errors: [renderError(error)] }));

/** For a subscriber whose token was revoked. */
export const signedOutEvent = (): LiveEvent => errorEvent(serviceError('invalidToken'));
