import type { Connection } from '../../db/connection/connection.ts';
import {
  insertAlert,
  type StoredAlert,
  selectStoredAlerts,
  supersedeAlert,
} from '../../db/sql/alert-rules.ts';
import { type GroupRow, selectGroups } from '../../db/sql/declaration.ts';
import type { AlertRule } from '../../domain/alerts/rule.ts';
import { isEmptyFilter } from '../../domain/filters/key-filter.ts';
import { storedGuid } from '../../domain/text/guid.ts';
import { alertMistakes } from './alert-rules.ts';
import { type DeclaredAlert, isRemoval } from './alert-shapes.ts';
import { type AppliedItem, type ItemOutcome, itemOutcome } from './applied-item.ts';
import { type Declaration, DeclarationError } from './declaration.ts';

/** What becomes of the rule of a name; null removes it. */
type WantedRule = { readonly name: string; readonly rule: AlertRule | null };

/**
 * Applies the declared rules to the context; rules that are not named stay. A rule that differs
 * becomes a new revision, which starts with the data that arrive from now on. Throws a
 * DeclarationError with all mistakes of all rules.
 */
export async function applyAlerts(
  connection: Connection,
  contextId: number,
  declaration: Declaration,
): Promise<AppliedItem[]> {
  const groups = await selectGroups(connection, contextId);
  const stored = await selectStoredAlerts(connection, contextId);
  const existing = new Map(stored.map((alert) => [alert.rule.name, alert]));
  const items: AppliedItem[] = [];
  for (const { name, rule } of checkedRules(declaration, groups, existing)) {
    const before = existing.get(name);
    const outcome: ItemOutcome = rule
      ? itemOutcome(before?.rule, rule)
      : before
        ? 'removed'
        : 'unchanged';
    if (outcome !== 'unchanged' && before) await supersedeAlert(connection, before);
    if (outcome !== 'unchanged' && rule) await insertAlert(connection, contextId, rule);
    items.push({ what: 'alert', name, outcome });
  }
  return items;
}

/**
 * Returns what the declaration wants. Checks existing rules as well, because the declaration may
 * have changed their groups.
 */
function checkedRules(
  { context, alerts = [], mistakes: mistakesOfForm }: Declaration,
  groups: readonly GroupRow[],
  existing: ReadonlyMap<string, StoredAlert>,
): WantedRule[] {
  const mistakes = [...mistakesOfForm];
  const byGuid = new Map(groups.map((group) => [storedGuid(group.guid), group]));
  const wanted: WantedRule[] = [];
  for (const [i, alert] of alerts.entries()) {
    if (!alert) continue;
    const { name } = alert;
    if (isRemoval(alert)) {
      wanted.push({ name, rule: null });
      continue;
    }
    const group = byGuid.get(alert.group);
    if (!group) {
      const none = groups.length === 0 ? ', which has no groups' : '';
      mistakes.push(
        `alerts[${i}].group must be a group of context ${context}${none}, got ${alert.group}`,
      );
      continue;
    }
    const rule = wantedRule(alert, group);
    wanted.push({ name, rule });
    const found = alertMistakes(rule, group, groups).filter((text) => isNew(text, alert));
    mistakes.push(...found.map((text) => `alerts[${i}]${text}`));
  }
  const named = new Set(wanted.map(({ name }) => name));
  for (const { rule } of existing.values()) {
    const group = groups.find(({ groupId }) => groupId === rule.groupId);
    if (named.has(rule.name) || !group) continue;
    const name = JSON.stringify(rule.name);
    mistakes.push(...alertMistakes(rule, group, groups).map((text) => `alert ${name}${text}`));
  }
  if (mistakes.length > 0) throw new DeclarationError(mistakes.join('; '));
  return wanted;
}

/** Returns whether a mistake is not that of a default, in place of a field that has one itself. */
function isNew(text: string, { mistaken }: DeclaredAlert): boolean {
  const [field = ''] = text.slice(1).split(/[ .]/);
  // Whether a condition is possible depends on the meter.
  return !mistaken?.has(field) && !(field === 'when' && mistaken?.has('meter'));
}

/**
 * Returns the wanted rule. A rule is replaced as a whole: an omitted field gets its default,
 * whatever it was before.
 */
function wantedRule(alert: DeclaredAlert, group: GroupRow): AlertRule {
  const { filter = null } = alert;
  return {
    name: alert.name,
    groupId: group.groupId,
    meterId: alert.meter ?? 0,
    windowSeconds: alert.window_seconds ?? group.topperBucketSize,
    when: alert.when,
    filter: filter && isEmptyFilter(filter) ? null : filter,
    probe: alert.probe ?? null,
    forWindows: alert.for_windows ?? 1,
    clearWindows: alert.clear_windows ?? 1,
    severity: alert.severity ?? 'warning',
    description: alert.description ?? null,
    maxKeys: alert.max_keys ?? 100,
    enabled: alert.enabled ?? true,
  };
}
