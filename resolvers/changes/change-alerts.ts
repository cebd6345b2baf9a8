import { textForm } from '../../domain/alerts/rule-forms.ts';
import { malformed, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import {
  type AlertEventView,
  type AlertView,
  findAlertEvent,
  listAlerts,
} from '../alerts/alerts.ts';
import type { AlertMutation } from '../audited-change.ts';
import { type ContextView, findContext } from '../contexts.ts';
import { alertChanges, type RuleToSave } from '../loaders/alert-changes.ts';
import type { RequestScope } from '../request-scope.ts';
import type { ChangingField } from './change-accounts.ts';
import { makeOnce, requireEditor } from './require-editor.ts';

type Change<T> = {
  readonly mutation: AlertMutation;
  readonly at: ContextView;
  /** What the log names. */
  readonly object: string;
  readonly make: (changes: ReturnType<typeof alertChanges>) => Promise<T>;
};

/** Makes a change of an editor, once, and logs it. */
async function change<T>(
  { scope, name }: ChangingField,
  { mutation, at, object, make }: Change<T>,
): Promise<T> {
  const { contextId, name: context } = at;
  const { username: user } = requireEditor(scope, context, mutation);
  const by = { user, from: scope.from };
  return makeOnce(scope, name, async () => {
    const made = await make(alertChanges(scope.reads, { contextId, context, by }));
    scope.onChange({ ...by, context, mutation, alert: object });
    return made;
  });
}

/**
 * Returns a context whose rules the caller may change: rules read all of it, so only an editor of
 * all of it may. null: there is no such context, or none that the caller may see. Errors:
 * `notEditor`, `partOfAlerts`.
 */
async function wholeContext(
  scope: RequestScope,
  context: string,
  mutation: AlertMutation,
): Promise<ContextView | null> {
  const at = await findContext(scope, context);
  if (!at) return null;
  const { username, contexts } = requireEditor(scope, context, mutation);
  if (contexts.get(context)?.limit === null) return at;
  scope.onChange({ user: username, from: scope.from, context, mutation, refused: true });
  throw serviceError('partOfAlerts', { username, context });
}

/** Makes or replaces a rule, and returns it; null: no such context, or its group is disabled. */
export async function saveAlert(
  field: ChangingField,
  context: string,
  wanted: RuleToSave,
): Promise<AlertView | null> {
  const { scope } = field;
  const at = await wholeContext(scope, context, 'saveAlert');
  if (!at) return null;
  const object = wanted.given.name;
  const make: Change<void>['make'] = (changes) => changes.save(wanted);
  await change(field, { mutation: 'saveAlert', at, object, make });
  return alertNow(scope, context, object);
}

/** Removes a rule, and ends its events; null: no such context. */
export async function removeAlert(
  field: ChangingField,
  context: string,
  name: string,
): Promise<true | null> {
  const at = await wholeContext(field.scope, context, 'removeAlert');
  if (!at) return null;
  const make: Change<void>['make'] = (changes) => changes.remove(name);
  await change(field, { mutation: 'removeAlert', at, object: name, make });
  return true;
}

type SilenceToSet = {
  readonly context: string;
  readonly name: string;
  /** null lifts the silence. */
  readonly until: EpochSeconds | null;
  readonly reason: string | null;
};

/** Silences a rule, or lifts its silence, and returns it; null: no such context. */
export async function silenceAlert(
  field: ChangingField,
  { context, name, until, reason }: SilenceToSet,
): Promise<AlertView | null> {
  const { scope } = field;
  const at = await wholeContext(scope, context, 'silenceAlert');
  if (!at) return null;
  requireNote('reason', reason);
  if (until === null && reason !== null) {
    throw malformed('reason', 'left out if `until` is, which lifts the silence', reason);
  }
  if (until !== null) requireFuture(scope, until);
  const silence = until === null ? null : { until, reason };
  const make: Change<void>['make'] = (changes) => changes.silence(name, silence);
  await change(field, { mutation: 'silenceAlert', at, object: name, make });
  return alertNow(scope, context, name);
}

function requireFuture({ reads }: RequestScope, until: EpochSeconds): void {
  const { databaseNow } = reads;
  const latest = databaseNow + LIMITS.alertSilenceDays * 86_400;
  if (until > databaseNow && until <= latest) return;
  const form = `a time after now, ${databaseNow}, and within ${LIMITS.alertSilenceDays} days`;
  throw malformed('until', form, until);
}

type Acknowledged = {
  readonly context: string;
  readonly eventId: string;
  readonly note: string | null;
};

/**
 * Notes that the caller looks after an event that they see, and returns it; null: there is no such
 * event.
 */
export async function acknowledgeAlertEvent(
  field: ChangingField,
  { context, eventId, note }: Acknowledged,
): Promise<AlertEventView | null> {
  const { scope } = field;
  const at = await findContext(scope, context);
  if (!at) return null;
  requireEditor(scope, context, 'acknowledgeEvent');
  requireNote('note', note);
  if (!(await findAlertEvent(at, eventId))) return null;
  const make: Change<boolean | null>['make'] = (changes) => changes.acknowledge({ eventId, note });
  await change(field, { mutation: 'acknowledgeEvent', at, object: eventId, make });
  const now = await findContext(scope, context);
  return now && findAlertEvent(now, eventId);
}

const NOTE = textForm(LIMITS.alertNoteCharacters);

function requireNote(name: string, text: string | null): void {
  if (text !== null && !NOTE.accepts(text)) throw malformed(name, NOTE.must, text);
}

/** Reads a rule as of now: earlier reads are outdated after a change. */
async function alertNow(
  scope: RequestScope,
  context: string,
  name: string,
): Promise<AlertView | null> {
  const at = await findContext(scope, context);
  const alerts = at ? await listAlerts(at) : [];
  return alerts.find(({ row }) => row.name === name) ?? null;
}
