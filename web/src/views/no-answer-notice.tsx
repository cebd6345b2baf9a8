import { BY_METRIC } from '../address/ranking.ts';
import type { Fault } from '../api/fault.ts';
import { explainRefusal, type Refusal } from '../data/refusal.ts';
import { isolated } from '../format/isolated.ts';
import { Command } from '../parts/command.tsx';
import { FaultNotice, Notice } from '../parts/notice.tsx';
import type { ViewProps } from './view-props.ts';

type NoAnswerProps = ViewProps & {
  readonly answer: {
    readonly viewer: { readonly contexts: readonly { readonly name: string }[] };
    readonly context: object | null;
  } | null;
  readonly fault: Fault | null;
  readonly onReload: () => void;
};

/** The server answered, but not what was asked: says what is missing and what is available. */
export function NoAnswerNotice(props: NoAnswerProps) {
  const { answer, fault, address, navigate, choice } = props;
  const refusal = fault && explainRefusal(fault.message, address);
  if (refusal) return <RefusedNotice {...props} refusal={refusal} />;
  if (fault) return <PartFault {...props} fault={fault} />;
  if (answer && !answer.context) {
    return (
      <Notice
        isView
        title={`There is no context “${address.context}” that you can access`}
        actions={answer.viewer.contexts.map(({ name }) => (
          <Act
            key={name}
            label={`Show ${name}`}
            onAct={() =>
              navigate.go({ context: name, group: null, meter: null, prefix: null, key: null })
            }
          />
        ))}
      >
        <p>Its name may be misspelled in the link, or you may not have access to it.</p>
      </Notice>
    );
  }
  if (choice && choice.counterGroups.length === 0) {
    return (
      <Notice
        isView
        title={`The context “${choice.name}” has no data yet`}
        actions={
          props.alerts.mayAdd && (
            <Act label="Add data" onAct={() => navigate.go({ view: 'add', key: null })} />
          )
        }
      >
        {!props.alerts.mayAdd && <p>Ask an editor of this context to add some.</p>}
        <p>
          Routers fill it by <Command>collect --context {choice.name}</Command>, and files by{' '}
          <Command>import --context {choice.name} --format zeek conn.log</Command>. Both create the
          groups for flows. Declare others with <Command>apply</Command>.
        </p>
      </Notice>
    );
  }
  const toWhatThereIs = () => navigate.go({ group: null, meter: null, prefix: null, key: null });
  return (
    <Notice
      isView
      title="This context has no such counter group or meter"
      actions={<Act label="Show an available group" onAct={toWhatThereIs} />}
    >
      <p>The link may belong to another context, or the group may have been disabled.</p>
    </Notice>
  );
}

/** Asking again cannot help: something in the address must change. */
function RefusedNotice({
  refusal,
  address,
  navigate,
  group,
}: NoAnswerProps & { readonly refusal: Refusal }) {
  switch (refusal.of) {
    case 'meter':
      return (
        <Notice
          isView
          title={`${group?.name ?? 'This counter group'} has no meter ${address.meter}`}
          actions={
            <Act label="Show another meter" onAct={() => navigate.go({ meter: null, key: null })} />
          }
        >
          <p>
            The link may belong to another group, or the meter may be one that cannot be ranked.
          </p>
        </Notice>
      );
    case 'probe':
      return (
        <Notice
          isView
          title={`There is no probe “${isolated(address.probe ?? '')}” in this context`}
          actions={<Act label="Show all probes" onAct={() => navigate.go({ probe: null })} />}
        >
          <p>Its name may be misspelled in the link, or the link may belong to another context.</p>
        </Notice>
      );
    case 'prefix':
      return (
        <Notice
          isView
          title={`${group?.name ?? 'This counter group'} has no networks`}
          actions={
            <Act
              label="Rank its keys"
              onAct={() => navigate.go({ prefix: null, hidden: [], key: null })}
            />
          }
        >
          <p>
            Its keys are not addresses, so they cannot be rolled up to networks. The link may belong
            to another group.
          </p>
        </Notice>
      );
    case 'step':
      return (
        <Notice
          isView
          isFault
          title="Steps cannot have this length"
          actions={<Act label="Choose automatically" onAct={() => navigate.go({ step: null })} />}
        >
          <p>The length of a step {refusal.why}.</p>
        </Notice>
      );
    case 'filter':
      return (
        <Notice
          isView
          isFault
          title={`The filter “${isolated(refusal.text)}” cannot be used`}
          actions={<Act label="Clear the filter" onAct={() => navigate.go({ filters: [] })} />}
        >
          <p>{refusal.why}</p>
          <p>Click it above to correct it, or clear it.</p>
        </Notice>
      );
    default:
      return refusal satisfies never;
  }
}

/** The server gave a reason: most faults can be avoided by a different question. */
function PartFault({ fault, address, navigate, onReload }: NoAnswerProps & { fault: Fault }) {
  const isFiltered = address.filters.length > 0 || address.hidden.length > 0;
  const isPaged = address.alert !== null || address.after !== null;
  const isElsewhere = address.fromDr || address.node !== null;
  return (
    <FaultNotice
      isView
      fault={fault}
      onRetry={onReload}
      actions={
        <>
          {fault.kind === 'backend' && !address.fromDr && (
            <Act
              label="Ask the recovery node"
              onAct={() => navigate.go({ node: null, fromDr: true })}
            />
          )}
          {isElsewhere && (
            <Act label="Ask the primary" onAct={() => navigate.go({ node: null, fromDr: false })} />
          )}
          {address.view === 'top' && address.ranking.by !== 'metric' && (
            <Act
              label="Use the default ranking"
              onAct={() => navigate.go({ ranking: BY_METRIC })}
            />
          )}
          {isFiltered && (
            <Act label="Clear the filter" onAct={() => navigate.go({ filters: [], hidden: [] })} />
          )}
          {isPaged && (
            <Act
              label="Show the newest events of all rules"
              onAct={() => navigate.go({ alert: null, after: null })}
            />
          )}
        </>
      }
    />
  );
}

const Act = ({ label, onAct }: { readonly label: string; readonly onAct: () => void }) => (
  <button type="button" class="button" onClick={onAct}>
    {label}
  </button>
);
