import { type ContextView, signedIn } from '../contexts.ts';
import type { SinkRow } from '../loaders/node-loaders.ts';
import type { RequestScope } from '../request-scope.ts';

/** A receiver of a context's events. */
export type SinkView = { readonly at: ContextView; readonly row: SinkRow };

/**
 * Returns the sinks of a context, by name. null: the caller is no editor of all of it, as the
 * primary says.
 */
export async function listSinks(scope: RequestScope, at: ContextView): Promise<SinkView[] | null> {
  const granted = signedIn(scope).contexts.get(at.name);
  if (granted?.role !== 'editor' || granted.limit !== null) return null;
  const rows = await at.loaders.alerts.sinks.load(at.contextId);
  return rows.map((row) => ({ at, row }));
}

/**
 * Returns where notifications go, without anything that may be secret: the variable that holds the
 * address, or the origin of the address, since its path often has a token.
 */
export const targetOf = ({ row: { url, urlEnv } }: SinkView): string =>
  urlEnv ?? (url !== null && URL.canParse(url) ? new URL(url).origin : '');

/** Returns what a sink is sent, in words. */
export function whatItGets({ row: { kind } }: SinkView): string {
  switch (kind) {
    case 'webhook':
      return 'each event when it begins and when it ends';
    case 'alertmanager':
      return 'everything that fires, once a minute, and each event when it ends';
    default:
      return kind satisfies never;
  }
}
