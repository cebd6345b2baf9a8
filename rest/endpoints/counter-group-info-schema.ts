import { integer, type JsonSchema, listOf, objectOf, refTo, text } from '../json-schema.ts';
import { timeInterval } from './time-interval-schema.ts';

const guid = (description: string): JsonSchema =>
  text(description, ['{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}']);

/** The answer of the counter group info endpoint (specification, "Resources"). */
export const counterGroupInfoSchemas: Readonly<Record<string, JsonSchema>> = {
  TimeInterval: timeInterval,
  CounterGroupInfo: objectOf('The counter groups of the context.', {
    group_details: listOf(refTo('CounterGroup'), 'The enabled groups, or the one asked for.'),
  }),
  CounterGroup: objectOf(
    'A set of keys that are counted in the same way.',
    {
      guid: guid('Identifies the group; counter_group of the topper.'),
      name: text('Its name.', ['Hosts']),
      bucket_size: integer('Seconds of a time bucket.'),
      topper_bucket_size: integer('Seconds of a topper bucket.'),
    },
    {
      time_interval: refTo('TimeInterval'),
      meters: listOf(refTo('Meter'), 'Present when get_meter_info is true.'),
      crosskey: refTo('Crosskey'),
    },
  ),
  Meter: objectOf('What is measured of each key.', {
    id: integer('Its number; meter of the topper.'),
    type: { ...integer('Its type, VT_INVALID (0) to VT_MIN (12).'), minimum: 0, maximum: 12 },
    topcount: integer('Default number of top keys.'),
    name: text('Its name.', ['Total']),
    description: text('What it measures.'),
    units: text('Unit of its values.', ['bytes']),
  }),
  Crosskey: objectOf(
    'Present for cross-key groups: the groups whose keys are joined.',
    {
      parentguid: guid('The parent group.'),
      crosskeyguid_1: guid('The first group joined to it.'),
    },
    { crosskeyguid_2: guid('The second, if there is one.') },
  ),
};
