import type { ErrorKind } from '../../domain/errors.ts';
import type { ServiceSettings } from '../../resolvers/request-scope.ts';
import type { EndpointDescription } from '../endpoint.ts';
import { counterGroupInfo } from '../endpoints/counter-group-info.ts';
import { timeSlices } from '../endpoints/time-slices.ts';
import { topper } from '../endpoints/topper.ts';
import { UPLOAD_PATH } from '../endpoints/upload.ts';
import { type JsonSchema, objectOf, text } from '../json-schema.ts';
import { COMMON_PARAMETERS, timeoutParameter } from '../parameters/decode-common.ts';
import type { Parameter } from '../parameters/parameter.ts';
import { SECURITY, SECURITY_SCHEMES } from './openapi-security.ts';
import { errorResponses, HEADERS, headers, inQuery, sentence } from './operation-parts.ts';
import { UPLOAD_SCHEMAS, UPLOAD_TAG, uploadPath } from './upload-path.ts';

export const OPENAPI_PATH = '/api/openapi.json';

/** The descriptions of the endpoints, in the order in which they are listed. */
export const ENDPOINT_DESCRIPTIONS: readonly EndpointDescription[] = [
  timeSlices,
  counterGroupInfo,
  topper,
];

/** All parameters of an endpoint under these settings. */
export const parametersOf = (
  endpoint: EndpointDescription,
  settings: ServiceSettings,
): readonly Parameter<unknown>[] => [
  ...COMMON_PARAMETERS,
  timeoutParameter(endpoint.timeout(settings)),
  ...endpoint.parameters(settings),
];

/**
 * Describes the endpoints as an OpenAPI 3.1 document, built from their parameter decoders and the
 * error table. Ceilings and defaults are those of the settings. rest/openapi.json is a printed copy
 * for the default settings.
 */
export function openApi(settings: ServiceSettings): JsonSchema {
  return {
    openapi: '3.1.0',
    info: {
      title: 'countergraph: legacy REST endpoints, and uploads',
      // The endpoints have never had a version; additions do not change existing behaviour.
      version: '1',
      summary: 'Exact toppers over network-traffic counters',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      // Only the operators know who they are.
      contact: { name: 'The operator of this server' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: [...ENDPOINT_DESCRIPTIONS.map(({ tag }) => tag), UPLOAD_TAG],
    security: SECURITY,
    paths: {
      ...Object.fromEntries(
        ENDPOINT_DESCRIPTIONS.map((endpoint) => [endpoint.path, pathItem(endpoint, settings)]),
      ),
      [UPLOAD_PATH]: uploadPath(),
    },
    components: {
      schemas: {
        ...Object.assign({}, ...ENDPOINT_DESCRIPTIONS.map(({ schemas }) => schemas)),
        ...UPLOAD_SCHEMAS,
        Error: ERROR,
      },
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const DESCRIPTION = `Three read-only endpoints, each for GET and POST, and one to upload files, which \
says itself what differs. A POST may have its parameters in the body, in the query string, or in \
both; the body wins. Callers identify themselves by an \
\`Authorization\` header or by the parameters \`username\` and \`api_token\`; if one of these \
parameters is given, the header is ignored. An empty text counts as not given, and unknown \
parameters are ignored. Booleans are \`true 1 yes on\` and \`false 0 no off\`, in any case. \
A list may be separated by commas, repeat its parameter, or repeat \`name[]\`. \
HEAD is GET without the body. Integers in answers may be larger than 2^53.`;

const ERROR = objectOf('What went wrong.', {
  status: { const: 'ERROR' },
  message: text('What is required, what was given, and what to do.'),
});

/** Errors that any request can get. */
const ERRORS_OF_ALL: readonly ErrorKind[] = [
  'invalidToken',
  'tooManyFailures',
  'contextRequired',
  'invalidContext',
  'notAllowed',
  'otherSite',
  'malformedValue',
  'invalidProbe',
  'invalidNode',
  'noRecoveryNode',
  'notHttp',
  'severalHosts',
  'headersTooLarge',
  'tooSlow',
  'timeout',
  'unreachable',
  'conflict',
  'otherContext',
  'busy',
  'internal',
];

/** Additional errors of requests with a body. */
const ERRORS_OF_POST: readonly ErrorKind[] = [
  'unreadableBody',
  'bodyTooLarge',
  'unsupportedEncoding',
  'unsupportedMediaType',
];

const ENCODINGS = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];

function pathItem(endpoint: EndpointDescription, settings: ServiceSettings): JsonSchema {
  const { title: summary, description, operation: operationId, answers, errors, tag } = endpoint;
  const parameters = parametersOf(endpoint, settings);
  const content = contentOf(answers);
  const common = { summary, description, tags: [tag.name] };
  const failures = [...ERRORS_OF_ALL, ...errors];
  const own = endpoint.answerHeaders ?? {};
  const tagged = { ...headers('RequestId', 'EntityTag'), ...own };
  return {
    get: {
      operationId,
      ...common,
      parameters: parameters.map(inQuery),
      responses: {
        200: { description: 'The answer.', headers: tagged, content },
        304: { description: 'The answer is unchanged.', headers: tagged },
        ...errorResponses(failures),
      },
    },
    post: {
      operationId: `${operationId}ByPost`,
      ...common,
      requestBody: { content: contentOf(sameFor(ENCODINGS, inBody(parameters))) },
      responses: {
        200: { description: 'The answer.', headers: { ...headers('RequestId'), ...own }, content },
        ...errorResponses([...failures, ...ERRORS_OF_POST]),
      },
    },
  };
}

const inBody = (parameters: readonly Parameter<unknown>[]): JsonSchema => ({
  type: 'object',
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
  properties: Object.fromEntries(
    parameters.map(({ name, meaning, schema, example }) => [
      name,
      { ...schema, description: sentence(meaning), examples: [example] },
    ]),
  ),
});

const sameFor = (types: readonly string[], schema: JsonSchema): Record<string, JsonSchema> =>
  Object.fromEntries(types.map((type) => [type, schema]));

const contentOf = (schemas: Readonly<Record<string, JsonSchema>>): JsonSchema =>
  Object.fromEntries(Object.entries(schemas).map(([type, schema]) => [type, { schema }]));
