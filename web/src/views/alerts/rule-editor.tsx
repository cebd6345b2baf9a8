import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  type AlertInput,
  AlertTrial,
  type AlertTrialQueryVariables,
  SaveAlert,
  type SaveAlertMutationVariables,
} from '../../../generated/operations.ts';
import type { RuleDraft } from '../../address/rule-draft.ts';
import { useSaving } from '../../api/use-saving.ts';
import { notNumbers, type RuleField, ruleFaults } from '../../data/alerts/rule-faults.ts';
import {
  alertInput,
  newRuleTexts,
  noNumbers,
  type RuleTexts,
  ruleTexts,
  saidRule,
  thresholdOf,
} from '../../data/alerts/rule-texts.ts';
import { ruleText } from '../../data/alerts/rule-words.ts';
import type { Trial } from '../../data/alerts/trial.ts';
import type { ContextChoice } from '../../data/choices.ts';
import { isolated } from '../../format/isolated.ts';
import { Notice } from '../../parts/notice.tsx';
import { onPlainClick } from '../../parts/on-plain-click.ts';
import { EditActions } from '../controls/edit-actions.tsx';
import { type AlertsViewProps, mayMakeRules } from './alerts-props.ts';
import { RuleFields } from './rule-fields.tsx';
import { TrialCard } from './trial-card.tsx';

type RuleEditorProps = AlertsViewProps & { readonly draft: RuleDraft };

/** The form of a rule, in place of the lists, with what the rule would have done. */
export function RuleEditor(props: RuleEditorProps) {
  const { draft, alerts, choice, address } = props;
  const rule =
    draft.kind === 'new' ? null : (alerts.rules?.find(({ name }) => name === draft.rule) ?? null);
  const [opened] = useState(() => rule);
  if (!mayMakeRules(props)) {
    return (
      <RefusedDraft {...props} title="You cannot change alert rules here">
        Rules are made and changed by editors of all of {address.context}, on its primary node.
      </RefusedDraft>
    );
  }
  if (draft.kind !== 'new' && !opened) {
    return (
      <RefusedDraft {...props} title={`There is no rule “${draft.rule}”`}>
        Its name may be misspelled in the link, or somebody has renamed or removed it.
      </RefusedDraft>
    );
  }
  if (draft.kind === 'change' && !opened?.madeInPage) {
    return (
      <RefusedDraft {...props} title={`“${draft.rule}” is declared in a file`}>
        Change it there: once changed here, its file would be refused. You can also copy it to a new
        rule.
      </RefusedDraft>
    );
  }
  const begun = opened ? ruleTexts(opened, address.units) : choice && newRuleTexts(address, choice);
  if (!begun || !choice) {
    return (
      <RefusedDraft {...props} title="There is no counter group to watch yet">
        Import some data first.
      </RefusedDraft>
    );
  }
  const changed = draft.kind === 'change' && opened ? opened : null;
  const texts = draft.kind === 'copy' ? { ...begun, name: '' } : begun;
  return <RuleForm {...props} begun={texts} changed={changed} choice={choice} />;
}

type RefusedDraftProps = RuleEditorProps & {
  readonly title: string;
  readonly children: preact.ComponentChildren;
};

const RefusedDraft = ({ title, children, navigate }: RefusedDraftProps) => (
  <Notice
    isView
    title={title}
    actions={
      <a
        class="button is-primary"
        href={navigate.link({ draft: null })}
        onClick={onPlainClick(() => navigate.go({ draft: null }))}
      >
        Show all rules
      </a>
    }
  >
    <p>{children}</p>
  </Notice>
);

type RuleFormProps = RuleEditorProps & {
  readonly begun: RuleTexts;
  /** The rule as it was when the form was opened; null: a new one. */
  readonly changed: { readonly id: string; readonly name: string } | null;
  readonly choice: ContextChoice;
};

function RuleForm(props: RuleFormProps) {
  const { begun, changed, choice, address, navigate, onChanged } = props;
  const [texts, setTexts] = useState(begun);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const said = saidRule(texts, choice, address.units);
  const close = () => navigate.go({ draft: null, key: null });
  const asking = useAsking(props, () => {
    onChanged();
    close();
  });
  const isGiven = said !== null && thresholdOf(texts, said, address.units) !== null;
  const input = said && alertInput(texts, said, changed?.name ?? null);
  /** Sends the rule, unless some fields are no numbers. */
  const send = (ask: (alert: NonNullable<typeof input>) => void) => {
    const refused = said ? noNumbers(texts, said, address.units) : [];
    asking.refuse(refused);
    if (input && refused.length === 0) ask(input);
  };
  const context = address.context ?? '';
  return (
    <div class="view">
      <div class="storage-head">
        <h1 ref={heading} tabIndex={-1}>
          {changed ? `Change ${isolated(changed.name)}` : 'New alert rule'}{' '}
          <span>of {address.context}</span>
        </h1>
      </div>
      <div class="rule-editor">
        <form
          class="card rule-form"
          aria-label={changed ? 'Change this rule' : 'New alert rule'}
          onSubmit={(event) => {
            event.preventDefault();
            send((alert) => asking.save({ context, alert, ifId: changed?.id ?? null }));
          }}
        >
          <RuleFields
            {...props}
            texts={texts}
            said={said}
            faults={asking.faults.fields}
            onChange={(changes) => setTexts({ ...texts, ...changes })}
          />
          {changed && (
            <p class="hint">
              A changed rule begins anew: what it fires now ends, and it evaluates data from now on.
            </p>
          )}
          <p class="edit-fault" role="alert">
            {asking.faults.rest}
          </p>
          <EditActions
            act={changed ? 'Save' : 'Make this rule'}
            isSaving={asking.isSaving}
            fault={null}
            onCancel={close}
          />
        </form>
        <div class="rule-side">
          <section class="card rule-said" aria-label="The rule in words">
            <h2>Fires on</h2>
            <p>
              {said && isGiven
                ? ruleText(said, address.units)
                : 'Once it has a threshold, the rule is here in words.'}
            </p>
          </section>
          {said && input && (
            <TrialCard
              {...props}
              said={said}
              trial={asking.trial}
              isOutdated={asking.trialOf !== testedPart(input)}
              isTesting={asking.isTesting}
              onTest={(days) =>
                send((alert) =>
                  asking.test({
                    context,
                    // It may be tested before it has a name.
                    alert: { ...alert, name: alert.name || 'test' },
                    window: { recentSeconds: days * 86_400 },
                    timeZone: address.zone ?? 'UTC',
                  }),
                )
              }
            />
          )}
        </div>
      </div>
    </div>
  );
}

/** What the outcome of a test depends on, as a text that differs if it does. */
const testedPart = ({ name, description, enabled, severity, replaces, ...tested }: AlertInput) =>
  JSON.stringify(tested);

/** Saves and tests a rule, and tells what was wrong with it the last time. */
function useAsking({ session }: RuleFormProps, onSaved: () => void) {
  const [trial, setTrial] = useState<Trial | null>(null);
  const [trialOf, setTrialOf] = useState('');
  const [last, setLast] = useState<'save' | 'test' | null>(null);
  const [refused, setRefused] = useState<readonly RuleField[]>([]);
  const saving = useSaving(SaveAlert, session, {
    isMade: ({ saveAlert }) => saveAlert !== null,
    onSaved: (isOpen) => isOpen && onSaved(),
  });
  const testing = useSaving(AlertTrial, session, {
    isMade: ({ context }) => context?.alertTrial != null,
    onSaved: (_, { context }) => setTrial(context?.alertTrial ?? null),
  });
  const fault = last === 'save' ? saving.fault : last === 'test' ? testing.fault : null;
  return {
    trial,
    trialOf,
    faults: fault ? ruleFaults(fault.message) : notNumbers(refused),
    isSaving: saving.isSaving,
    isTesting: testing.isSaving,
    /** Tells what is wrong before anything is sent. */
    refuse: (fields: readonly RuleField[]) => {
      setLast(null);
      setRefused(fields);
    },
    save: (variables: SaveAlertMutationVariables) => {
      setLast('save');
      saving.save(variables);
    },
    test: (variables: AlertTrialQueryVariables) => {
      setLast('test');
      setTrialOf(testedPart(variables.alert));
      testing.save(variables);
    },
  };
}
