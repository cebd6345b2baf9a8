import type { Connection } from '../../db/connection/connection.ts';
import { lockChanges } from '../../db/sql/alert-decisions.ts';
import {
  DECLARED,
  insertAlert,
  type StoredAlert,
  selectStoredAlerts,
  supersedeAlert,
  updateDeclared,
} from '../../db/sql/alert-rules.ts';
import { type GroupRow, selectGroups } from '../../db/sql/declaration.ts';
import type { AlertRule } from '../../domain/alerts/rule.ts';
import {
  type GivenRule,
  type RuleMistake,
  ruleMistakes,
  wantedRule,
} from '../../domain/alerts/rule-mistakes.ts';
import { keyKinds } from '../../domain/keys/key-kinds.ts';
import { storedGuid } from '../../domain/text/guid.ts';
import { type DeclaredAlert, isRemoval, type Removal } from './alert-shapes.ts';
import { type AppliedItem, itemOutcome } from './applied-item.ts';
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
  // Editors may be changing rules in the page.
  await lockChanges(connection, contextId);
  const groups = await selectGroups(connection, contextId);
  const stored = await selectStoredAlerts(connection, contextId);
  const existing = new Map(stored.map((alert) => [alert.rule.name, alert]));
  const items: AppliedItem[] = [];
  for (const { name, rule } of checkedRules(declaration, groups, existing)) {
    const outcome = await applyRule(connection, { contextId, rule, before: existing.get(name) });
    items.push({ what: 'alert', name, outcome });
  }
  return items;
}

type RuleToApply = {
  readonly contextId: number;
  readonly rule: AlertRule | null;
  readonly before: StoredAlert | undefined;
};

async function applyRule(connection: Connection, { contextId, rule, before }: RuleToApply) {
  if (!rule && !before) return 'unchanged';
  const outcome = rule ? itemOutcome(before?.rule, rule) : 'removed';
  if (outcome === 'unchanged') {
    // The file takes over a rule that was made in the page.
    if (before?.origin.madeBy == null) return 'unchanged';
    await updateDeclared(connection, before.alertId);
    return 'changed';
  }
  if (before) await supersedeAlert(connection, before);
  const origin = { ...DECLARED, silence: before?.origin.silence ?? null };
  if (rule) await insertAlert(connection, contextId, { rule, origin });
  return outcome;
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
    mistakes.push(...madeInPage(alert, existing).map((text) => `alerts[${i}] ${text}`));
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
    const rule = wantedRule(givenRule(alert), group);
    wanted.push({ name, rule });
    const found = ruleMistakes(rule, group, keyKinds(group, groups));
    const own = found.filter((mistake) => isNew(mistake, alert));
    mistakes.push(...own.map(({ field, text }) => `alerts[${i}].${field}${text}`));
  }
  const named = new Set(wanted.map(({ name }) => name));
  for (const { rule } of existing.values()) {
    const group = groups.find(({ groupId }) => groupId === rule.groupId);
    if (named.has(rule.name) || !group) continue;
    const name = JSON.stringify(rule.name);
    const found = ruleMistakes(rule, group, keyKinds(group, groups));
    mistakes.push(...found.map(({ field, text }) => `alert ${name}.${field}${text}`));
  }
  if (mistakes.length > 0) throw new DeclarationError(mistakes.join('; '));
  return wanted;
}

/** A file changes a rule that was made in the page only if it says so. */
function madeInPage(
  { name, replace }: DeclaredAlert | Removal,
  existing: ReadonlyMap<string, StoredAlert>,
): string[] {
  const madeBy = existing.get(name)?.origin.madeBy ?? null;
  if (madeBy === null || replace === true) return [];
  return [
    `must have "replace": true, since ${JSON.stringify(name)} was made in the page by ${madeBy}: ` +
      'add it to replace that rule, or choose another name',
  ];
}

/** Returns whether a mistake is not that of a default, in place of a field that has one itself. */
const isNew = ({ field }: RuleMistake, { mistaken }: DeclaredAlert): boolean =>
  // Whether a condition is possible depends on the meter.
  !mistaken?.has(field) && !(field === 'when' && mistaken?.has('meter'));

const givenRule = (alert: DeclaredAlert): GivenRule => ({
  name: alert.name,
  when: alert.when,
  meter: alert.meter,
  windowSeconds: alert.window_seconds,
  filter: alert.filter,
  probe: alert.probe,
  forWindows: alert.for_windows,
  clearWindows: alert.clear_windows,
  severity: alert.severity,
  description: alert.description,
  maxKeys: alert.max_keys,
  enabled: alert.enabled,
});
