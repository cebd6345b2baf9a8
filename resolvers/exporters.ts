import { type ContextView, requireSame } from './contexts.ts';
import type { ExporterSumsRow } from './loaders/node-loaders.ts';

/** An exporter as the collectors of a context know it. */
export type ExporterView = ExporterSumsRow;

/**
 * Returns the exporters of a context, those with the most flows first. Where they are and how much
 * they send tells of all networks, so callers who may not see all of the context see none.
 */
export async function listExporters(at: ContextView): Promise<ExporterView[]> {
  const { loaders, contextId } = at;
  if (loaders.isLimited(contextId)) return [];
  const rows = await loaders.exportersByContext.load(contextId);
  for (const { context } of rows) requireSame(at, context);
  return rows;
}
