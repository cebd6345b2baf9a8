import { builder } from './builder.ts';
import './types/scalars.ts';
import './types/query.ts';
import './types/mutation.ts';
import './types/subscription.ts';
import './types/user.ts';
import './types/audit.ts';
import './types/user-changes.ts';
import './types/saved-view.ts';
import './types/time-interval.ts';
import './types/context.ts';
import './types/slice.ts';
import './types/pool.ts';
import './types/exporter.ts';
import './types/counter-group.ts';
import './types/crosskey.ts';
import './types/meter.ts';
import './types/topper.ts';
import './types/topper-key.ts';
import './types/topper-matching.ts';
import './types/key.ts';
import './types/alert.ts';
import './types/alert-event.ts';
import './types/alert-sink.ts';
import './types/alert-trial.ts';
import './types/alert-changes.ts';

/** The whole GraphQL schema; schema/schema.graphql is its printed form. */
export const schema = builder.toSchema();
