import { integer, type JsonSchema, listOf, objectOf, refTo, text } from '../json-schema.ts';

/** The answer of the topper endpoint (specification, "Resources"). */
export const topperSchemas: Readonly<Record<string, JsonSchema>> = {
  Topper: objectOf(
    'The largest keys of a group by a meter over a window.',
    {
      counter_group: text('GUID of the group.', ['{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}']),
      meter: integer('The meter that they are ranked by.'),
      sysgrouptotal: integer('Total of all keys that are not listed; of any size.'),
      keys: listOf(refTo('TopperKey'), 'Largest first.'),
    },
    { matching: refTo('TopperMatching') },
  ),
  TopperMatching: objectOf(
    'Present when matching is true: all keys that pass the filters, together, listed or not.',
    { total: integer('In the unit of metric; of any size.') },
    {
      percentiles: listOf(
        refTo('Percentile'),
        'Present when get_percentiles is given; in that order, and empty without data.',
      ),
    },
  ),
  TopperKey: objectOf(
    'One of the largest keys.',
    {
      key: text('Raw form of the key.', ['C0.A8.01.0A']),
      metric: integer('Its value over the window; of any size.'),
    },
    {
      readable: text('Form for people; present unless resolve_keys is false.', ['192.168.1.10']),
      label: text('Its name, or the readable form; present unless resolve_keys is false.'),
      description: text('Present if the key has one.'),
      attributes: listOf(refTo('Attribute'), 'Present when get_key_attributes is true.'),
      percentiles: listOf(
        refTo('Percentile'),
        'Present when get_percentiles is given; in that order, and empty without data.',
      ),
    },
  ),
  Attribute: objectOf('What is known of a key.', {
    attr_name: text('Its name.'),
    attr_value: text('Its value.'),
  }),
  Percentile: objectOf('By nearest rank, of the topper buckets in the window.', {
    rank: { type: 'number', minimum: 0, maximum: 100, description: 'The requested rank.' },
    value: integer('In the unit of metric.'),
  }),
};

/** OpenAPI can describe CSV only as text. */
export const topperCsvSchema: JsonSchema = text(
  'RFC 4180. Answers `format=csv`: a header, a row for each key, and the row `others`; with ' +
    '`series=true` the columns `at`, `key`, `label` and `value`, and a row for each point.',
);
