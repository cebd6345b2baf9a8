import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../../db/connection/connection.ts';
import { acknowledgeEvent } from '../../db/sql/alert-acknowledgements.ts';
import { lockChanges } from '../../db/sql/alert-decisions.ts';
import {
  insertAlert,
  type StoredAlert,
  selectStoredAlerts,
  supersedeAlert,
  updateSilence,
} from '../../db/sql/alert-rules.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { givenMistakes, mistakesText } from '../../domain/alerts/given-mistakes.ts';
import type { AlertRule, Silence } from '../../domain/alerts/rule.ts';
import { type GivenRule, ruleMistakes, wantedRule } from '../../domain/alerts/rule-mistakes.ts';
import type { AuditActor, AuditEntry } from '../../domain/audit/audit-entry.ts';
import { serviceError, shortened, shown } from '../../domain/errors.ts';
import { keyKinds } from '../../domain/keys/key-kinds.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Guid, storedGuid } from '../../domain/text/guid.ts';
import type { RequestReads } from './request-reads.ts';

/** The context whose alerts are changed, and who changes them. */
type Editing = {
  readonly contextId: number;
  readonly context: string;
  readonly by: AuditActor;
};

/** A rule as an editor gives it. */
export type RuleToSave = {
  readonly given: GivenRule;
  readonly counterGroup: Guid;
  /** The name of the rule that it replaces; null: it is a new one. */
  readonly replaces: string | null;
  /** The revision of that rule as the editor has read it; null: whichever it is. */
  readonly revision: string | null;
};

type EventToAcknowledge = { readonly eventId: string; readonly note: string | null };

/**
 * Returns the changes that an editor of all of a context can make to its alerts, each in one
 * transaction, one after the other, and none beside `apply`. Errors: `invalidAlert`, `noSuchAlert`,
 * `refusedAlert`.
 */
export function alertChanges(reads: Pick<RequestReads, 'change'>, editing: Editing) {
  const { contextId, context, by } = editing;
  const audited = <T>(
    name: string,
    work: (connection: Connection) => Promise<readonly [made: T, entry: AuditEntry | null]>,
  ): Promise<T> =>
    reads.change(name, async (connection) => {
      const [made, entry] = await work(connection);
      if (entry) {
        const detail = { context, ...entry.detail };
        await insertAudit(connection, [{ ...entry, detail }], by);
      }
      return made;
    });

  return {
    /** Makes or replaces a rule. */
    save: (wanted: RuleToSave) =>
      audited('save-alert', async (connection) => {
        // A long filter takes time to check: nothing waits for that.
        const rule = await checkedRule(connection, editing, wanted);
        await lockChanges(connection, contextId);
        const before = replacedRule(await selectStoredAlerts(connection, contextId), rule, wanted);
        if (before && isDeepStrictEqual(before.rule, rule)) return [undefined, null];
        if (before) await supersedeAlert(connection, before);
        const origin = { madeBy: by.user, silence: before?.origin.silence ?? null };
        await insertAlert(connection, contextId, { rule, origin });
        const detail = {
          page: true,
          ...(before && before.rule.name !== rule.name && { renamed_from: before.rule.name }),
        };
        const action = before ? 'alert changed' : 'alert created';
        return [undefined, { action, object: rule.name, detail }];
      }),

    remove: (name: string) =>
      audited('remove-alert', async (connection) => {
        await lockChanges(connection, contextId);
        await supersedeAlert(connection, await existingAlert(connection, contextId, name));
        return [undefined, { action: 'alert removed', object: name, detail: { page: true } }];
      }),

    /** Sets the silence of a rule; null lifts it. */
    silence: (name: string, silence: Omit<Silence, 'by'> | null) =>
      audited('silence-alert', async (connection) => {
        await lockChanges(connection, contextId);
        const { alertId, origin } = await existingAlert(connection, contextId, name);
        const wanted = silence && { ...silence, by: by.user };
        if (isDeepStrictEqual(origin.silence, wanted)) return [undefined, null];
        await updateSilence(connection, alertId, wanted);
        const entry: AuditEntry = silence
          ? { action: 'alert silenced', object: name, detail: { until: silence.until } }
          : { action: 'alert silence lifted', object: name };
        return [undefined, entry];
      }),

    /** Returns whether anything is different now; null: the event is gone. */
    acknowledge: ({ eventId, note }: EventToAcknowledge) =>
      audited('acknowledge-event', async (connection) => {
        const event = { contextId, eventId, by: by.user, note };
        const isDifferent = await acknowledgeEvent(connection, event);
        const entry = { action: 'alert event acknowledged', object: eventId } as const;
        return [isDifferent, isDifferent ? entry : null];
      }),
  };
}

/** Errors: `invalidAlert`. */
async function checkedRule(
  connection: Connection,
  { contextId, context }: Editing,
  { given, counterGroup }: RuleToSave,
): Promise<AlertRule> {
  const groups = await selectGroups(connection, contextId);
  const group = groups.find(({ guid }) => storedGuid(guid) === counterGroup);
  const rule = group && wantedRule(given, group);
  const none = ` must be a group of context ${context}, got ${counterGroup}`;
  const ofGroup = rule
    ? ruleMistakes(rule, group, keyKinds(group, groups))
    : [{ field: 'group', text: none } as const];
  const wrong = mistakesText(givenMistakes(given), ofGroup);
  if (rule && wrong === null) return rule;
  throw serviceError('invalidAlert', { 'what is wrong': wrong ?? none });
}

/** Returns the rule that is replaced; undefined: the rule is a new one. */
function replacedRule(
  stored: readonly StoredAlert[],
  { name }: AlertRule,
  { replaces, revision }: RuleToSave,
): StoredAlert | undefined {
  const named = (wanted: string) => stored.find(({ rule }) => rule.name === wanted);
  const before = replaces === null ? undefined : named(replaces);
  if (replaces !== null && !before) throw noSuchAlert(replaces);
  if (before && revision !== null && before.revision !== revision) {
    throw refused(
      `${shown(before.rule.name)} was changed since you read it: read it again, and repeat your change`,
    );
  }
  const namesake = named(name);
  if (namesake && namesake !== before) {
    throw refused(
      `there is another alert ${shown(name)}: name it in \`replaces\`, or choose another name`,
    );
  }
  if (!before && stored.length >= LIMITS.alertRules) {
    throw refused(
      `the context has ${LIMITS.alertRules} alerts, the most there can be: remove some`,
    );
  }
  return before;
}

async function existingAlert(
  connection: Connection,
  contextId: number,
  name: string,
): Promise<StoredAlert> {
  const stored = await selectStoredAlerts(connection, contextId);
  const found = stored.find(({ rule }) => rule.name === name);
  if (found) return found;
  throw noSuchAlert(name);
}

const noSuchAlert = (name: string) => serviceError('noSuchAlert', { alert: shortened(name) });

const refused = (wrong: string) => serviceError('refusedAlert', { 'what is wrong': wrong });
