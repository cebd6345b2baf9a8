import { integer, objectOf } from '../json-schema.ts';

export const timeInterval = objectOf('Seconds since 1970-01-01T00:00:00Z.', {
  from: integer('Start.'),
  to: integer('End, exclusive.'),
});
