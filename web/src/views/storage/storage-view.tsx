import { Storage } from '../../../generated/operations.ts';
import { faultOfProblem } from '../../api/fault.ts';
import { faultAt } from '../../api/part-faults.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { mayEdit } from '../../data/edits/may-edit.ts';
import { nodeOf } from '../../data/questions.ts';
import { storageQuery } from '../../data/view-as/asked-queries.ts';
import { storageRest } from '../../data/view-as/rest-address.ts';
import { IconButton } from '../../parts/icon.tsx';
import { FaultNotice } from '../../parts/notice.tsx';
import { useRefreshedBy } from '../alerts/use-alerts.ts';
import { NoAnswerNotice } from '../no-answer-notice.tsx';
import { useOutcome } from '../use-outcome.ts';
import { ViewAs, type ViewForms } from '../view-as/view-as.tsx';
import type { ViewProps } from '../view-props.ts';
import { PoolList } from './pool-list.tsx';
import { SliceList, SliceTable } from './slice-list.tsx';

/** Shows what is stored, where, and how much space is left. */
export function StorageView(props: ViewProps) {
  const { address, session, moments } = props;
  const asked = useAnswer(Storage, nodeOf(address), session);
  const { data, problems, fault, isLoading, reload, refresh } = asked;
  useOutcome(asked, props);
  useRefreshedBy(isLoading, props.alerts);
  const context = data?.context ?? null;
  if (fault) return <FaultNotice isView fault={fault} onRetry={reload} />;
  if (!context && !isLoading) {
    const [problem] = problems;
    return (
      <NoAnswerNotice
        {...props}
        answer={data}
        fault={problem ? faultOfProblem(problem) : null}
        onReload={reload}
      />
    );
  }
  const slices = faultAt(problems, ['context', 'slices']);
  const pools = faultAt(problems, ['context', 'pools']);
  return (
    <div class={`view ${isLoading && context ? 'is-stale' : ''}`} aria-busy={isLoading}>
      <div class="storage-head">
        <div>
          <h1>
            Storage <span>of {address.context}</span>
          </h1>
          <p class="hint">
            {context
              ? `On node ${context.nodeName}${context.haSlaveMode ? ', a standby' : ''}${
                  context.totalWindow
                    ? ` · available from ${moments.full(context.totalWindow.from)} to ${moments.full(context.totalWindow.to)}`
                    : ''
                } · times in ${moments.zone}`
              : 'Loading …'}
          </p>
        </div>
        <div class="alerts-buttons">
          <ViewAs {...props} formsOf={() => storageForms(address)} />
          <IconButton icon="reload" name="Reload" disabled={isLoading} onClick={reload} />
        </div>
      </div>
      <p class="sr-only" role="status">
        {isLoading ? 'Loading …' : ''}
      </p>
      <div class="storage-parts">
        {slices ? (
          <FaultNotice fault={slices} onRetry={reload} />
        ) : (
          <SliceList {...props} slices={context?.slices ?? null} />
        )}
        {pools ? (
          <FaultNotice fault={pools} onRetry={reload} />
        ) : (
          <PoolList {...props} pools={context?.pools ?? null} />
        )}
      </div>
      {!slices && (
        <SliceTable
          {...props}
          slices={context?.slices ?? null}
          onEdited={mayEdit(data, address) ? refresh : null}
        />
      )}
    </div>
  );
}

const storageForms = (address: ViewProps['address']): ViewForms => ({
  query: storageQuery(address),
  rest: storageRest(address),
  csv: null,
  span: null,
});
