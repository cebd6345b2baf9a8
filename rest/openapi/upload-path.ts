import type { ErrorKind } from '../../domain/errors.ts';
import { IMPORT_FORMATS } from '../../domain/import-formats.ts';
import { UPLOAD_PARAMETERS } from '../endpoints/upload.ts';
import {
  boolean,
  integer,
  type JsonSchema,
  listOf,
  objectOf,
  refTo,
  text,
} from '../json-schema.ts';
import { errorResponses, headers, inQuery } from './operation-parts.ts';

export const UPLOAD_TAG = { name: 'Upload', description: 'Files to import.' };

const BINARY: JsonSchema = { type: 'string', format: 'binary' };

/** Types that programs give to such files. Any other is taken, too, but for a form with fields. */
const FILE_TYPES = ['application/octet-stream', 'application/gzip', 'text/plain', 'text/csv'];

const ERRORS_OF_UPLOADS: readonly ErrorKind[] = [
  'invalidToken',
  'tooManyFailures',
  'notEditor',
  'partOfContext',
  'notAllowed',
  'onlyAdminCreates',
  'uploadsOff',
  'otherSite',
  'sessionElsewhere',
  'malformedValue',
  'fileAsForm',
  'unsupportedEncoding',
  'uploadTooLarge',
  'uploadTooSlow',
  'notImported',
  'alreadyImported',
  'uploadInProgress',
  'busy',
  'importFailed',
  'unreachable',
  'timeout',
  'readOnly',
  'notHttp',
  'severalHosts',
  'headersTooLarge',
  'tooSlow',
  'internal',
];

/** Describes the upload of a file as an OpenAPI path. */
export const uploadPath = (): JsonSchema => ({
  post: {
    operationId: 'upload',
    summary: 'Upload a file',
    description:
      'Imports a file of flows or samples as a whole or not at all, as `countergraph import` does. The body is the file as it is, also gzipped. It needs the role `editor` in the context, and all of it; the upload of an administrator creates a context that does not exist. All parameters are in the address, and an unknown one is an error.',
    tags: [UPLOAD_TAG.name],
    // A token in the address would end up in logs, and the body is the file.
    security: [{ Basic: [] }, { Bearer: [], BearerUsername: [] }],
    parameters: UPLOAD_PARAMETERS.map(inQuery),
    requestBody: {
      required: true,
      content: Object.fromEntries(FILE_TYPES.map((type) => [type, { schema: BINARY }])),
    },
    responses: {
      200: {
        description: 'The report, as `countergraph import --json` prints it.',
        headers: headers('RequestId'),
        content: {
          'application/json': {
            schema: { anyOf: [refTo('UploadReport'), refTo('SkippedUpload')] },
          },
        },
      },
      ...errorResponses(ERRORS_OF_UPLOADS),
    },
  },
});

const SOURCE = {
  source: text('The name of the file.'),
  context: text('The context that it was imported into.'),
} as const;

const orNull = (description: string): JsonSchema => ({ type: ['integer', 'null'], description });

const counts = (description: string, ...names: readonly string[]): JsonSchema =>
  objectOf(description, Object.fromEntries(names.map((name) => [name, { type: 'integer' }])));

/** The schemas of the answers of an upload. */
export const UPLOAD_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  SkippedUpload: objectOf('A file, or what is new of it, that a parameter passes over.', SOURCE, {
    alreadyImported: { const: true, description: 'It was imported before.' },
    nothingNew: { const: true, description: 'It has no new lines.' },
  }),
  UploadReport: objectOf(
    'What was imported.',
    {
      ...SOURCE,
      format: { type: 'string', enum: IMPORT_FORMATS, description: 'Its format.' },
      lines: integer('Lines, without those that were imported before.'),
      records: integer('Flows, or samples.'),
      from: orNull('When its first bucket begins, epoch seconds; null if nothing was counted.'),
      to: orNull('When its last bucket ends.'),
      readings: integer('Readings that were written.'),
      keys: integer('Different keys, counted for each group.'),
      keysAreExact: boolean('Whether the number of keys is no estimate.'),
      slices: integer('Time slices that it fills.'),
      newSlices: integer('Those of them that are new.'),
      expired: {
        description: 'Slices that are older than the context keeps them; null: none.',
        anyOf: [counts('Their number.', 'slices', 'retentionDays'), { type: 'null' }],
      },
      skipped: counts('Lines that are not counted.', 'events', 'tunnelLines', 'notIp'),
      badLines: objectOf('Lines that could not be read.', {
        count: integer('Their number.'),
        named: listOf(
          objectOf('One of them.', {
            line: integer('Its number in the file.'),
            reason: text('Why it could not be read.'),
          }),
          'The first hundred.',
        ),
      }),
      lost: counts('What exporters sent and no line has.', 'flows', 'packets', 'datagrams'),
      exporters: listOf(
        objectOf('An exporter of which something was lost.', {
          exporter: text('Its address.'),
          domain: text('Its domain; empty if lines do not say it.'),
          protocol: text('Its protocol.'),
          unit: text('What is counted.'),
          lost: integer('How many of them were lost.'),
        }),
        'Those that lost the most.',
      ),
      notes: listOf({ type: 'string' }, 'What a user should know about the file.'),
      seconds: { type: 'number', description: 'How long it took.' },
      readingsPerSecond: integer('How fast it was.'),
      peakMemoryBytes: integer('The memory that it took.'),
    },
    {
      knownLines: integer('With grown: lines before those that are new.'),
      cutLine: integer('With grown: the line of which only the beginning counts.'),
      twoWay: boolean('Of nfdump: whether its flows report both directions.'),
    },
  ),
};
