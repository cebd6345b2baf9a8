import { UPLOAD_PARAMETERS } from '../rest/endpoints/upload.ts';
import { ENDPOINT_DESCRIPTIONS, parametersOf } from '../rest/openapi/openapi.ts';
import { COMMON_PARAMETERS } from '../rest/parameters/decode-common.ts';
import type { Parameter } from '../rest/parameters/parameter.ts';
import { readSettings } from '../server/settings/settings.ts';
import { code, markdownTable } from './markdown-table.ts';

/** Documents the endpoints and their parameters as rest/ defines them, with default settings. */
export function restParts(): Readonly<Record<string, string>> {
  const settings = readSettings({});
  const own = ENDPOINT_DESCRIPTIONS.map((endpoint) => [
    `rest-${endpoint.operation.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    parameterTable(
      parametersOf(endpoint, settings).filter((each) => !COMMON_PARAMETERS.includes(each)),
    ),
  ]);
  return {
    'rest-endpoints': markdownTable(
      ['endpoint', 'returns'],
      ENDPOINT_DESCRIPTIONS.map(({ path, description }) => [code(path), description]),
    ),
    'rest-common': parameterTable(COMMON_PARAMETERS),
    'rest-upload': parameterTable(UPLOAD_PARAMETERS),
    ...Object.fromEntries(own),
  };
}

const parameterTable = (parameters: readonly Parameter<unknown>[]): string =>
  markdownTable(
    ['parameter', 'type', 'default', 'meaning'],
    parameters.map(({ name, form, absent, required, meaning }) => [
      code(name),
      required ? `${form}, required` : form,
      absent === null ? '' : code(absent),
      meaning,
    ]),
  );
