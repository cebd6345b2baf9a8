import {
  boolean,
  integer,
  type JsonSchema,
  listOf,
  objectOf,
  refTo,
  text,
} from '../json-schema.ts';
import { timeInterval } from './time-interval-schema.ts';

/** The answer of the time slices endpoint (specification, "Resources"). */
export const timeSlicesSchemas: Readonly<Record<string, JsonSchema>> = {
  TimeInterval: timeInterval,
  TimeSlices: objectOf('The available data.', {
    context_name: text('Name of the context.'),
    ha_slave_mode: boolean('Whether the node that answers is a standby.'),
    total_window: {
      description: 'From the oldest to the newest data; null unless get_total_window is true.',
      anyOf: [refTo('TimeInterval'), { type: 'null' }],
    },
    slices: listOf(refTo('Slice'), 'Oldest first, then by engine instance.'),
    pools: listOf(refTo('Pool'), 'Empty unless get_disk_usage is true.'),
  }),
  Slice: objectOf(
    'One interval of time of one engine instance.',
    {
      time_interval: refTo('TimeInterval'),
      name: text('Named after its start.', ['slice-20260715-0000']),
      status: text('State: available, still being filled, or archived.', [
        'available',
        'processing',
        'archived',
      ]),
      available: boolean('Whether it can be queried.'),
      tags: listOf({ type: 'string' }, 'Such as primary or archive.'),
      id: integer('Its number.'),
    },
    {
      disk_size: integer('Bytes on disk, measured now; present when get_disk_usage is true.'),
      path: text("File in the database server's folder, or of the archive."),
    },
  ),
  Pool: objectOf(
    'A file system that holds slices.',
    {
      status: text('Whether it can be used.', ['online', 'offline']),
      offline_archive: boolean('Whether it is an offline archive.'),
      offline_archive_mounted: boolean('Whether that archive is mounted now.'),
    },
    {
      total_size: integer('Total bytes.'),
      avail_size: integer('Free bytes.'),
      file_system: text('Type of the file system.', ['ext4', 'xfs']),
      mounted: text('Where it is mounted.'),
      additional_info: text('Additional information from its declaration.'),
    },
  ),
};
