import { LOSS_UNITS, type LossUnit, protocolLabel, refusalText } from '../domain/exporters.ts';
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

export const protocolsOf = ({ protocols }: ExporterView): string[] => protocols.map(protocolLabel);

/** What was lost in one of the units that protocols count. */
export type ExporterLossView = { readonly unit: LossUnit; readonly count: number };

/** Returns what was lost, by unit, without those in which nothing was. */
export function lossesOf({ lostFlows, lostPackets, lostDatagrams }: ExporterView) {
  const lost = { flows: lostFlows, packets: lostPackets, datagrams: lostDatagrams };
  const losses: ExporterLossView[] = LOSS_UNITS.map((unit) => ({ unit, count: lost[unit] }));
  return losses.filter(({ count }) => count > 0);
}

/** What was refused for one reason, in words. */
export type ExporterRefusalView = { readonly reason: string; readonly count: number };

/** Returns what was refused, by reason, most first. */
export const refusalsOf = ({ refused }: ExporterView): ExporterRefusalView[] =>
  Object.entries(refused)
    .map(([reason, count]) => ({ reason: refusalText(reason), count }))
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));

export const sumOf = (counts: readonly { readonly count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);
