import type { Connection } from '../../db/connection/connection.ts';
import { type AlertSink, deleteSink, selectSinks, upsertSink } from '../../db/sql/alert-rules.ts';
import { type DeclaredSink, isRemoval, type Removal } from './alert-shapes.ts';
import { type AppliedItem, settle } from './applied-item.ts';

/** Applies the declared sinks to the context; sinks that are not named stay. */
export async function applySinks(
  connection: Connection,
  contextId: number,
  declared: readonly (DeclaredSink | Removal | null)[],
): Promise<AppliedItem[]> {
  const sinks = await selectSinks(connection, contextId);
  const existing = new Map(sinks.map((sink) => [sink.name, sink]));
  const items: AppliedItem[] = [];
  for (const sink of declared) {
    // It has mistakes, so all of this is undone.
    if (!sink) continue;
    const { name } = sink;
    const before = existing.get(name);
    if (isRemoval(sink)) {
      if (before) await deleteSink(connection, contextId, name);
      items.push({ what: 'sink', name, outcome: before ? 'removed' : 'unchanged' });
      continue;
    }
    const settled = await settle(before, wantedSink(sink), (row) =>
      upsertSink(connection, contextId, row),
    );
    items.push({ what: 'sink', name, ...settled });
  }
  return items;
}

const wantedSink = ({ name, kind, url, url_env, secret_env }: DeclaredSink): AlertSink => ({
  name,
  kind,
  url: url ?? null,
  urlEnv: url_env ?? null,
  secretEnv: secret_env ?? null,
});
