import { builder } from './builder.ts';
import './scalars.ts';
import './query.ts';
import './mutation.ts';
import './subscription.ts';
import './time-interval.ts';
import './context.ts';
import './slice.ts';
import './pool.ts';
import './counter-group.ts';
import './crosskey.ts';
import './meter.ts';
import './topper.ts';
import './topper-key.ts';
import './key.ts';
import './alert.ts';
import './alert-event.ts';

/** The whole GraphQL schema; schema/schema.graphql is its printed form. */
export const schema = builder.toSchema();
