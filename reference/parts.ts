import { commandParts } from './command-parts.ts';
import { errorsPart } from './errors-part.ts';
import { limitsPart } from './limits-part.ts';
import { mcpPart } from './mcp-part.ts';
import { metricsPart } from './metrics-part.ts';
import { restParts } from './rest-parts.ts';
import { settingsPart } from './settings-part.ts';

/** Returns the parts of the pages that are generated from code, by the names that the pages use. */
export const generatedParts = async (): Promise<Readonly<Record<string, string>>> => ({
  errors: errorsPart(),
  limits: limitsPart(),
  settings: settingsPart(),
  metrics: await metricsPart(),
  'mcp-tools': mcpPart(),
  commands: await commandParts(),
  ...restParts(),
});
